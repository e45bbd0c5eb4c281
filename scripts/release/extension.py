"""The extension of VS Code, packaged from what is committed."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

from scripts.release.errors import ReleaseError

EXTENSION = Path("lsp_server/clients/vscode")
_HELD = {"package.json", "LICENSE.txt", "readme.md", "dist/extension.js"}  # as the packager names them


def package_extension(root: Path, tree: Path, vsix: Path) -> str:
    """Package it with the tools that `make vscode` installed in this checkout, and check its contents.

    Args:
        root: of this checkout.
        tree: a clean copy of what is committed.
        vsix: the file to write.

    Raises:
        ReleaseError: the tools are missing, packaging fails, or the package lacks a file or has one too many.
    """
    tools, npm = root / EXTENSION / "node_modules", shutil.which("npm")
    if npm is None or not tools.is_dir():
        raise ReleaseError("The tools that package the extension are missing. Run `make vscode` once while online.")
    place = tree / EXTENSION
    (place / "node_modules").symlink_to(tools)
    shutil.copy(tree / "LICENSE", place)
    done = subprocess.run(
        [npm, "run", "package", "--", "--out", str(vsix)], cwd=place, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ReleaseError(f"npm could not package the extension: {(done.stderr or done.stdout)[-800:]}")
    with zipfile.ZipFile(vsix) as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist() if name.startswith("extension/")}
    more = {name for name in names - _HELD if not name.startswith("walkthrough/")}
    if missing := _HELD - names:
        raise ReleaseError(f"{vsix.name} lacks {', '.join(sorted(missing))}.")
    if more:
        raise ReleaseError(
            f"{vsix.name} contains files no user needs: {', '.join(sorted(more))}. Exclude them in .vscodeignore."
        )
    return f"{vsix.name}, {len(names)} files, {vsix.stat().st_size // 1024} KiB"
