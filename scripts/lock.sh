#!/bin/sh
# Writes the locks anew: every dependency with its version and hashes, for every Python that we support.
# dev.lock is for a checkout, action.lock for the GitHub Action.
# The resolver lives in a temporary environment; it is needed by nobody who only installs.
set -eu

cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.venv/bin/python -m venv "$folder"
"$folder/bin/python" -m pip install -q --disable-pip-version-check uv
lock() { # lock FILE ARGUMENTS…
    file=$1
    shift
    "$folder/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes ${UPGRADE---upgrade} \
        --no-emit-index-url --custom-compile-command "make lock" --output-file "$file" "$@" pyproject.toml
}

lock requirements/dev.lock \
    --extra ci --extra crosshair --extra dev --extra docker --extra evals --extra hub --extra llm --extra lsp --extra mcp \
    --extra postgres --extra ray --extra service --extra trace
# The action installs the project without an isolated build, so the build tool is locked as well.
echo 'setuptools>=80' | lock requirements/action.lock \
    --constraint requirements/dev.lock --extra ci --extra crosshair --extra docker --extra llm -
