# attack: lets a child that outlives it give the right answer, once everything has been judged
# must: wrong_answer
# expects: right
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.3)
        print("right", flush=True)
    os._exit(0)
os._exit(0)
