# attack: leaves with success before it has answered, in the ways that skip what a judge inside it would do
# must: wrong_answer
# expects: @secret@
import atexit
import builtins
import os
import sys

atexit.register(os._exit, 0)
builtins.print = sys.stdout.write = lambda *_, **__: None
print("never seen")
sys.excepthook = lambda *_: os._exit(0)
raise SystemError("hidden")
