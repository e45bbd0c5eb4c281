#!/usr/bin/env bash
# A step of action.yml: measures, and writes the report. It gets no token.
#
# All that was asked for comes in variables, never as text of this script, so nobody can write commands into it.
set -euo pipefail

unset PYTHONPATH PYTHONHOME PYTHONSTARTUP # they may lead to files of the pull request, and this Python is ours

arguments=(--mode "$MODE" --out "$REPORT" --sandbox "$SANDBOX" --objective "$OBJECTIVE")
arguments+=(--max-functions "$MAX_FUNCTIONS" --max-minutes "$MAX_MINUTES" --model "$MODEL")
arguments+=(--python "${PROJECT_PYTHON:-$(command -v python || command -v python3)}")
if [ -n "$BASE" ]; then arguments+=(--base "$BASE"); fi
if [ -n "$INCLUDE" ]; then arguments+=(--include "$INCLUDE"); fi
if [ -n "$EXCLUDE" ]; then arguments+=(--exclude "$EXCLUDE"); fi
if [ -n "$TESTS_COMMAND" ]; then arguments+=(--tests-command "$TESTS_COMMAND"); fi
if [ -n "$MIN_EFFECT" ]; then arguments+=(--min-effect "$MIN_EFFECT"); fi
if [ -n "$MAX_COST" ]; then arguments+=(--max-cost "$MAX_COST"); fi
case "$MEMORY" in /*) ;; *) MEMORY=$GITHUB_WORKSPACE/$MEMORY ;; esac
if [ "$MODE" = schedule ]; then arguments+=(--memory "$MEMORY/tried.json"); fi
if [ "$STAGE" = all ]; then arguments+=(--no-job-summary); fi # the step that comments writes it
exec "$EXECUTABLE" ci "${arguments[@]}"
