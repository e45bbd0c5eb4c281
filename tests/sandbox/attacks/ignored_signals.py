# attack: ignores every signal that can be ignored, blocks the others, and goes on for ever
# must: time_limit
# limits: wall_time_s=0.5
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True:
    signal.sigwait([10])
