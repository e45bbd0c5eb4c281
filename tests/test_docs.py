"""The documentation that is written by commands is what these commands write now."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_page_of_rules_is_current() -> None:
    done = subprocess.run([sys.executable, "scripts/rules_page.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run: make rules-page"


def test_every_link_between_the_documents_leads_somewhere() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
