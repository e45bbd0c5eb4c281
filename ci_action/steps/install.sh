#!/usr/bin/env bash
# A step of action.yml: checks the inputs that are words, and installs the program into an environment of its own, apart
# from the job's Python.
#
#   STAGE, COMMENT, FAIL_ON, IF_NOTHING, BRANCH, BY_FORK   the inputs of these names
#   EXECUTABLE              one that is installed already, or empty
#   AFTERBURNER_EXECUTABLE  likewise, as a machine of your own may set it for all its jobs
#   ACTION_PATH             this action's own files
#
# Sets the output `executable`.
set -euo pipefail

check() { # check INPUT VALUE ALLOWED…
    input=$1 value=$2
    shift 2
    for allowed in "$@"; do
        if [ "$value" = "$allowed" ]; then return 0; fi
    done
    echo "The input $input is '$value'. Write one of: $*." >&2
    exit 1
}
check stage "$STAGE" all measure comment
check comment "$COMMENT" review summary none
check fail-on "$FAIL_ON" never regression
check comment-if-nothing "$IF_NOTHING" true false
check branch "$BRANCH" true false
check by-fork "$BY_FORK" true false

# Python looks for modules where it is started and where these variables say: that would be the pull request's files.
unset PYTHONPATH PYTHONHOME PYTHONSTARTUP
empty=$(mktemp -d "$RUNNER_TEMP/afterburner-empty.XXXXXX")
cd "$empty"

EXECUTABLE=${EXECUTABLE:-${AFTERBURNER_EXECUTABLE:-}}
if [ -n "$EXECUTABLE" ]; then
    "$EXECUTABLE" --version
    echo "executable=$EXECUTABLE" >>"$GITHUB_OUTPUT"
    exit 0
fi

new_enough() { "$1" -I -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
python=
for candidate in python3 python python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if new_enough "$candidate"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "Afterburner Agent itself needs Python 3.11 or newer, beside the one that runs your project." >&2
    echo "Put actions/setup-python with such a version before this step." >&2
    exit 1
fi

environment="$RUNNER_TEMP/afterburner-agent"
"$python" -I -m venv --clear "$environment"
pip() { "$environment/bin/python" -I -m pip --disable-pip-version-check --no-input "$@"; }
pip install -q --require-hashes -r "$ACTION_PATH/requirements/action.lock"
# The build writes beside the sources, and an action's own folder may be read-only.
sources=$(mktemp -d "$RUNNER_TEMP/afterburner-sources.XXXXXX")
cp -R "$ACTION_PATH/." "$sources/"
pip install -q --no-deps --no-build-isolation "$sources"
rm -rf "$sources"
"$environment/bin/afterburner-agent" --version
echo "executable=$environment/bin/afterburner-agent" >>"$GITHUB_OUTPUT"
