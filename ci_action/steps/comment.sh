#!/usr/bin/env bash
# A step of action.yml: comments on the pull request. It gets the token, and runs no code of the pull request.
set -euo pipefail

unset PYTHONPATH PYTHONHOME PYTHONSTARTUP # they may lead to files of the pull request, and this Python is ours

arguments=("$REPORT" --comment "$COMMENT" --max-suggestions "$MAX_SUGGESTIONS")
if [ "$IF_NOTHING" = true ]; then arguments+=(--even-if-nothing); fi
if [ "$BRANCH" = true ]; then arguments+=(--branch); fi
if [ "$BY_FORK" = true ]; then arguments+=(--by-fork); fi
if [ -n "$AUTHOR" ]; then arguments+=(--author "$AUTHOR"); fi
case "$MEMORY" in /*) ;; *) MEMORY=$GITHUB_WORKSPACE/$MEMORY ;; esac
if [ "$MODE" = schedule ]; then arguments+=(--memory "$MEMORY/tried.json"); fi
if [ -n "$REPORT_URL" ]; then arguments+=(--report-url "$REPORT_URL"); fi
exec "$EXECUTABLE" ci comment "${arguments[@]}"
