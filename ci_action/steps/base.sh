#!/usr/bin/env bash
# A step of action.yml: asks GitHub where a pull request goes to. It gets the token, and runs no code of the pull request.
set -euo pipefail

unset PYTHONPATH PYTHONHOME PYTHONSTARTUP # they may lead to files of the pull request, and this Python is ours

exec "$EXECUTABLE" ci base
