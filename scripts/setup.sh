#!/bin/sh
# Sets up what a checkout needs: system packages, a virtual environment in .venv, the pinned dependencies, this project.
# It asks nothing and does nothing the second time. What it may not install itself it names, with the command.
#
#     scripts/setup.sh                                what the program needs
#     scripts/setup.sh tests                          also what the tests run: compilers, Docker, PostgreSQL, torch, …
#     PYTHON=/path/to/python3.12 scripts/setup.sh     to choose the Python of .venv
set -eu

cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME
lock=requirements/dev.lock
stamp=.venv/.setup-done
models=requirements/models.txt
models_stamp=.venv/.setup-models-done
github=tests/ci_action/openapi
github_stamp=$github/node_modules/.setup-done
servers=.venv/servers

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
    renew_package_lists
    apt_install "$missing" || fail "apt-get could not install:$missing. Install them and run this again."
}

renew_package_lists() {
    apt-get update -qq || say "the package lists could not be renewed; trying with the old ones"
}

apt_install() {
    say "installing$1"
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 </dev/null
}

# Debian's names of what the tests start beside the program: the languages of the sandbox, a Docker daemon and a root
# filesystem for its image, a PostgreSQL server, a counter of instructions, `patch`, two editors, a browser, a
# system Python with a package in it, and npm for GitHub's description of its API.
missing_test_packages() {
    has cc || has gcc || printf ' gcc libc6-dev'
    has g++ || printf ' g++'
    has qemu-aarch64-static || printf ' qemu-user-static'
    has javac || printf ' default-jdk-headless'
    has go || printf ' golang-go'
    has node || printf ' nodejs'
    has npm || printf ' npm'
    has ruby || printf ' ruby'
    has rustc || printf ' rustc'
    has docker && has dockerd || printf ' docker.io'
    has debootstrap || printf ' debootstrap'
    [ -e /etc/ssl/certs/ca-certificates.crt ] || printf ' ca-certificates' # debootstrap may fetch by https
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || printf ' postgresql'
    has valgrind || printf ' valgrind'
    has patch || printf ' patch'
    has nvim || printf ' neovim'
    has emacs || printf ' emacs-nox elpa-eglot' # Emacs 29 and newer have eglot in them
    [ -x /usr/bin/chromium ] || printf ' chromium'
    /usr/bin/python3 -c 'import setuptools' 2>/dev/null || printf ' python3 python3-setuptools'
}

# Nothing here stops the tests: those of what is missing are skipped, and say so.
install_test_packages() {
    missing=$(missing_test_packages)
    [ -n "$missing" ] || return 0
    if ! may_install; then
        say "some tests will be skipped. On Debian and Ubuntu, install what they need with (as root):"
        say "    apt-get update && apt-get install -y --no-install-recommends$missing"
        return 0
    fi
    # Debian would make and start a PostgreSQL server of its own as well, which nothing here needs.
    mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/afterburner.conf
    renew_package_lists
    apt_install "$missing" && return 0
    for package in $missing; do # one that is not to be had must not keep the others away
        apt_install " $package" || say "apt-get could not install $package; the tests that need it will be skipped"
    done
}

make_venv() {
    venv_works && return 0
    python=$(find_python) ||
        fail "no Python 3.11 or newer with venv and ensurepip (looked for ${PYTHON:-python3, python3.14 … python3.11})." \
            "Install one, or name one: make PYTHON=/path/to/python3.12"
    say "making .venv with $("$python" -V)"
    "$python" -m venv --clear .venv || fail "$python could not make .venv here; see above."
}

pip() { PIP_USER=0 .venv/bin/python -m pip --disable-pip-version-check --no-input "$@"; }

# A line every half minute while a command runs. After Ctrl-C, the background job ends with the next one.
with_signs_of_life() {
    (while sleep 30 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do say "still installing …"; done) &
    ticker=$!
    "$@" && code=0 || code=$?
    kill "$ticker" 2>/dev/null || :
    return "$code"
}

install_project() {
    say "installing $(grep -c '==' "$lock") pinned packages into .venv (on two cores some five minutes, more on a busy machine)"
    with_signs_of_life pip install -q --require-hashes -r "$lock" || fail "the pinned packages could not be installed; see above."
    # The build tool is one of the pinned packages: an isolated build would fetch an unpinned one.
    rm -rf ./*.egg-info  # an old one would tell `python -m` of commands as they were
    pip install -q --no-deps --no-build-isolation -e . || fail "this project could not be installed; see above."
}

# The sandbox shows these folders read-only, so no start in there could keep what it compiles. pip does this for users.
compile_what_runs_inside() {
    .venv/bin/python -m compileall -q sandbox/driver agent/inputs/inside
}

set_up() {
    install_system_packages
    if ! set_up_before; then
        make_venv
        install_project
        fingerprint >"$stamp"
        say "done: .venv/bin/afterburner-agent --help"
    fi
    compile_what_runs_inside
}

# Debian starts servers as soon as they are installed. The tests start their own, so these are only unpacked.
unpack_servers() {
    if [ -e "$servers/.setup-done" ]; then return 0; fi
    if ! has apt-get || ! has dpkg-deb; then
        say "the tests that need nginx or Prometheus will be skipped where neither Debian nor its kin is there"
        return 0
    fi
    say "unpacking nginx and Prometheus, for the tests of the sandbox service alone (20 MB)"
    mkdir -p "$servers"
    if may_install; then renew_package_lists; fi
    if (cd "$servers" && apt-get download -qq -o APT::Sandbox::User=root nginx prometheus && for each in ./*.deb; do dpkg-deb -x "$each" . || exit; done); then
        rm "$servers"/*.deb
        touch "$servers/.setup-done"
    else
        say "they could not be unpacked; the tests that need them will be skipped. Again: make setup-tests"
    fi
}

# Training uses them, too: the tests make a small language model and serve it.
install_models() {
    wanted=$(cat "$stamp" && cksum "$models")
    [ -f "$models_stamp" ] && [ "$(cat "$models_stamp")" = "$wanted" ] && return 0
    say "installing torch and transformers, for training and the tests of local models (a few minutes)"
    if with_signs_of_life pip install -q -r "$models"; then
        printf '%s\n' "$wanted" >"$models_stamp"
    else
        say "they could not be installed; the tests that need them will be skipped. Again: make setup-tests"
    fi
}

# The tests of the action check every request against what GitHub says of its REST API. The package holds that for many
# versions of GitHub's server, 390 MB; the one for github.com is kept, 13 MB.
install_github_description() {
    if [ -f "$github_stamp" ] && cmp -s "$github/package-lock.json" "$github_stamp"; then return 0; fi
    if ! has npm; then
        say "npm is missing; the tests that need GitHub's description of its API will be skipped"
        return 0
    fi
    say "installing GitHub's description of its API with npm, for the tests of the action alone (29 MB)"
    if (cd "$github" && npm ci --loglevel=error); then
        find "$github/node_modules/@octokit/openapi/generated" -name '*.json' ! -name api.github.com.json -delete
        cp "$github/package-lock.json" "$github_stamp"
    else
        say "it could not be installed; the tests that need it will be skipped. Again: make setup-tests"
    fi
}

case "${1:-}" in
"") set_up ;;
tests)
    set_up
    install_test_packages
    unpack_servers
    install_models
    install_github_description
    ;;
*) fail "unknown argument $1; there is only: scripts/setup.sh [tests]" ;;
esac
