# attack: gives the right answer, and then takes more memory than it may
# must: memory_limit
# prints: right
# expects: right
# limits: memory_kib=65536
print("right", flush=True)
kept = bytearray(b"x" * (100 << 20))
