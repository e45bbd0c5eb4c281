"""The documentation that is written by commands is what these commands write now."""

import re
import subprocess
import sys
from pathlib import Path

from afterburner.sandbox.languages import LANGUAGES

ROOT = Path(__file__).parent.parent


def test_the_page_of_rules_is_current() -> None:
    done = subprocess.run([sys.executable, "scripts/rules_page.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run: make rules-page"


def test_the_man_page_is_current() -> None:
    done = subprocess.run([sys.executable, "-m", "scripts.man_page", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run: make man-page"


def test_every_link_between_the_documents_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)\)", page.read_text())]
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page, link in links
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert links
    assert broken == []


def test_the_table_of_languages_is_the_sandboxs() -> None:
    page = (ROOT / "docs" / "sandbox.md").read_text()
    rows = {row.split("|")[1].strip(" `"): row for row in page.splitlines() if row.startswith("| `")}
    for language in LANGUAGES.values():
        assert f"`{language.image}`" in rows[language.name], "docs/sandbox.md names another image"
        assert all(f"`{package}`" in rows[language.name] for package in language.packages)
