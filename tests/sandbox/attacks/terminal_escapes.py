# attack: prints what moves, colours, retitles and types on a terminal, and fails: it must not reach who reads the report
# must: runtime_error
import sys

TEXTS = [
    "\x1b[2J\x1b[H",
    "\x1b]0;title\x07",
    "\x1b]52;c;ZWNobw==\x07",
    "\x9b31m",
    "\u202egnirts",
    "\x1bP$q\x1b\\",
    "\r\b",
    "\u2028",
]
for text in TEXTS:
    print(text, file=sys.stderr)
sys.stderr.buffer.write(b"\xff\xfe\x80\x00" * 20000 + b"\n\x1b[31mlast words\x1b[0m\n")
sys.exit(7)
