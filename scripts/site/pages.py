"""Writes the pages that `zensical build` makes the site of, into `build/site-pages`.

    python -m scripts.site.pages

Pages link one another as they lie in the repository; here the README becomes `index.md`, and files that are no pages,
such as an example of a workflow, are copied beside them, so that every link leads somewhere.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

from scripts.site.architecture import architecture_page
from scripts.site.reference import api_page, commands_page

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "site-pages"
# Where pages of the repository lie in the site, if not where they are.
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/README.md": "examples.md",
    "tests/judge_corpus/README.md": "tests/judge_corpus/README.md",
}
_LINK = re.compile(r"(\]\(|src=\"|srcset=\"|href=\")([^)\s\"#]+)((?:#[^)\s\"]*)?)")


def main() -> None:
    """Write all pages anew."""
    shutil.rmtree(OUT, ignore_errors=True)
    pages = dict(MOVED)
    pages |= {path.relative_to(ROOT).as_posix(): path.name for path in sorted((ROOT / "docs").glob("*.md"))}
    for name, place in pages.items():
        text = (ROOT / name).read_text("utf-8")
        _write(place, with_site_links(text, PurePosixPath(name), PurePosixPath(place), pages))
    _write("architecture.md", architecture_page())
    (OUT / "images").mkdir(exist_ok=True)
    _write("commands.md", commands_page())
    for package in ("agent", "sandbox"):
        _write(f"api/{package}.md", api_page(package))


def with_site_links(text: str, name: PurePosixPath, place: PurePosixPath, pages: dict[str, str]) -> str:
    """A page's text with links as they have to be in the site; the files that they lead to are copied there.

    Args:
        text: of the page.
        name: where it lies in the repository.
        place: where it lies in the site.
        pages: the places of all pages, by their names.
    """

    def moved(found: re.Match[str]) -> str:
        begin, link, anchor = found.groups()
        if "://" in link or link.startswith(("mailto:", "data:")):
            return found[0]
        target = PurePosixPath(os.path.normpath(name.parent / link))
        source = ROOT / target
        if target.as_posix() in pages:
            there = PurePosixPath(pages[target.as_posix()])
        elif source.is_file():
            there = (
                PurePosixPath(os.path.relpath(target, "docs")) if target.is_relative_to("docs") else "files" / target
            )
            _copy(source, there)
        elif source.is_dir() and (source / "README.md").is_file():
            there = PurePosixPath(pages[(target / "README.md").as_posix()])
        elif source.is_dir():
            there = _listing(target)
        else:
            return found[0]  # the site's builder says so, with the place
        return f"{begin}{os.path.relpath(there, place.parent)}{anchor}"

    return _LINK.sub(moved, text)


def _listing(folder: PurePosixPath) -> PurePosixPath:
    """A page with a folder's files; gives its place."""
    place = PurePosixPath("files") / folder / "index.md"
    names = sorted(path.name for path in (ROOT / folder).iterdir() if path.is_file())
    for name in names:
        _copy(ROOT / folder / name, place.parent / name)
    _write(place.as_posix(), "\n".join([f"# {folder}", "", *(f"- [{name}]({name})" for name in names), ""]))
    return place


def _copy(source: Path, place: PurePosixPath) -> None:
    (OUT / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, OUT / place)


def _write(place: str, text: str) -> None:
    path = OUT / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
