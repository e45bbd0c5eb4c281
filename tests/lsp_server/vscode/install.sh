#!/bin/sh
# Installs code-server and playwright-core beside this script, once. The installation of code-server would also download
# programs that the walk does not need, so its steps are taken here: its two folders of packages, and two of them built.
set -eu

cd "$(dirname "$0")"
stamp=node_modules/.installed

has() { command -v "$1" >/dev/null 2>&1; }
fail() {
    printf 'test-vscode: %s\n' "$*" >&2
    exit 1
}

[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || fail "there is no Chromium: apt-get install chromium, or set CHROMIUM to one"
if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then exit 0; fi
node --version | grep -q '^v20\.' || fail "code-server needs Node.js 20, and this is $(node --version)"
has c++ && has make && has python3 || fail "two packages are compiled: apt-get install g++ make python3"

echo "test-vscode: installing code-server (a minute or two)"
npm ci --loglevel=error
npm rebuild --loglevel=error --ignore-scripts=false argon2
(
    cd node_modules/code-server/lib/vscode
    npm install --loglevel=error --omit=dev --ignore-scripts # as code-server does: its package.json and lock differ
    npm rebuild --loglevel=error --ignore-scripts=false @vscode/spdlog
    ln -sfn node_modules node_modules.asar
)
cp package-lock.json "$stamp"
