#!/bin/sh
# Writes requirements/dev.lock anew: every dependency with its version and hashes, for every Python that we support.
# The resolver lives in a temporary environment; it is needed by nobody who only installs.
set -eu

cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m venv "$folder"
"$folder/bin/python" -m pip install -q --disable-pip-version-check uv
"$folder/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
    --extra crosshair --extra dev --extra docker --extra lsp --extra mcp --extra postgres --extra service \
    --no-emit-index-url --custom-compile-command "make lock" --output-file requirements/dev.lock pyproject.toml
