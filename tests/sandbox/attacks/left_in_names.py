# attack: leaves files whose names are hostile: newlines, invalid UTF-8, 255 bytes, options, terminal sequences
# must: accepted
# prints: DENIED
# cases: 3
import os

NAMES = [b"\n", b"two\nlines", b"\xff\xfe\xfd", b"\xc3", b"x" * 255, b"-rf", b"--help", b"...", b"~", b"$(id)", b"`id`"]
NAMES += [
    b"\x1b[2J\x1b]0;title\x07",
    b"\x80" * 255,
    b" ",
    b"*",
    b"?",
    b"a;b",
    b"\\",
    b"'",
    b'"',
    "\u202e".encode(),
    b"\r",
]
NAMES += [bytes([code]) * length for code in range(1, 32) for length in (1, 254)]

for place in (b"/tmp", b"/dev/shm"):
    if os.listdir(place):
        print("CANARY", os.listdir(place))
    for name in set(NAMES):
        os.mkdir(place + b"/" + name)
        with open(place + b"/" + name + b"/" + name, "wb") as file:
            file.write(b"left")
print("DENIED")
