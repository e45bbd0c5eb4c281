#!/bin/sh
# Sets up what a checkout needs: system packages, a virtual environment in .venv, the pinned dependencies, this project.
# It asks nothing and does nothing the second time. What it may not install itself it names, with the command.
#
#     PYTHON=/path/to/python3.12 scripts/setup.sh     to choose the Python of .venv
set -eu

cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
lock=requirements/dev.lock
stamp=.venv/.setup-done

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
makes_venvs() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
may_install() { [ "$(id -u)" = 0 ] && has apt-get; }

# All that decides what .venv holds.
fingerprint() {
    .venv/bin/python -V
    cksum pyproject.toml "$lock"
}

# The commands in .venv name its place: in a checkout that was moved or copied they would start the old one's Python.
venv_is_ours() { new_enough .venv/bin/python && grep -qsF "$(pwd -P)/.venv" .venv/bin/activate; }

set_up_before() { venv_is_ours && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ]; }

venv_works() { venv_is_ours && .venv/bin/python -m pip --version >/dev/null 2>&1; }

find_python() {
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if new_enough "$name" && makes_venvs "$name"; then
            printf '%s\n' "$name"
            return 0
        fi
    done
    return 1
}

# The packages that give a Python which makes virtual environments; Debian and its kin ship venv apart.
python_packages() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if new_enough "$name"; then
            if has apt-get; then printf '%s-venv\n' "$name"; else printf '%s\n' "$name"; fi
            return 0
        fi
    done
    if ! has apt-get; then
        printf 'python3\n'
    elif has python3; then # too old
        printf 'python3.11 python3.11-venv\n'
    else
        printf 'python3 python3-venv\n'
    fi
}

missing_packages() {
    has bwrap || printf ' bubblewrap'
    has git || printf ' git'
    # Without a compiler the ziglang wheel does the work; where we may install one, the usual one is better.
    if may_install && ! has cc && ! has gcc && ! has clang; then printf ' gcc libc6-dev'; fi
    if [ -z "${PYTHON:-}" ] && ! venv_is_ours && ! find_python >/dev/null; then
        printf ' %s' "$(python_packages)"
    fi
}

command_that_installs() {
    if has apt-get; then
        printf 'apt-get update && apt-get install -y --no-install-recommends%s' "$1"
    elif has dnf; then
        printf 'dnf install -y%s' "$1"
    elif has zypper; then
        printf 'zypper install -y%s' "$1"
    elif has pacman; then
        printf 'pacman -S --needed%s' "$1"
    elif has apk; then
        printf 'apk add%s' "$1"
    else
        printf "your system's package manager, for:%s" "$1"
    fi
}

install_system_packages() {
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    command=$(command_that_installs "$missing")
    may_install || fail "missing:$missing. Install with (as root): $command"
    say "installing$missing"
    apt-get update -qq || say "the package lists could not be renewed; trying with the old ones"
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null ||
        fail "apt-get could not install:$missing. Install them and run this again."
}

make_venv() {
    venv_works && return 0
    python=$(find_python) ||
        fail "no Python 3.11 or newer with venv and ensurepip (looked for ${PYTHON:-python3, python3.14 … python3.11})." \
            "Install one, or name one: make PYTHON=/path/to/python3.12"
    say "making .venv with $("$python" -V)"
    "$python" -m venv --clear .venv || fail "$python could not make .venv here; see above."
}

install_project() {
    say "installing $(grep -c '==' "$lock") pinned packages into .venv (a minute or two)"
    pip="env PIP_USER=0 .venv/bin/python -m pip --disable-pip-version-check --no-input"
    $pip install -q --require-hashes -r "$lock" || fail "the pinned packages could not be installed; see above."
    # The build tool is one of the pinned packages: an isolated build would fetch an unpinned one.
    $pip install -q --no-deps --no-build-isolation -e . || fail "this project could not be installed; see above."
}

install_system_packages
set_up_before && exit 0
make_venv
install_project
fingerprint >"$stamp"
say "done: .venv/bin/afterburner-agent --help"
