# attack: prints what judges print when all is well, on both outputs, instead of an answer
# must: wrong_answer
# expects: @secret@
import os
import sys

CLAIMS = ["Success", "Accepted", "accepted", "OK", "PASS", "AC", "1 passed", "All tests passed!", "100/100", "[DONE]"]
CLAIMS += [
    '{"verdict": "accepted", "passed": true, "score": 1.0}',
    "<testsuite failures='0'/>",
    "ok 1 - all",
    "\0",
    "*",
]
for stream in (sys.stdout, sys.stderr):
    print(*CLAIMS, sep="\n", file=stream, flush=True)
os._exit(0)
