"""Holds 100 MiB, writes and reads files in /tmp, keeps a database there and starts a subprocess."""

import json
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

block = bytearray(b"\x5a") * (100 * 1024 * 1024)
print("checksum:", zlib.crc32(block))
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "größe.json").write_text(json.dumps({"ü": [1, 2, 3]}, ensure_ascii=False), encoding="utf-8")
    print("file:", json.loads((folder / "größe.json").read_text(encoding="utf-8")))
    database = sqlite3.connect(folder / "numbers.sqlite")
    database.execute("create table numbers (value integer)")
    database.executemany("insert into numbers values (?)", ((number,) for number in range(1000)))
    database.commit()
    print("database:", database.execute("select sum(value) from numbers where value % 2").fetchone()[0])
    database.close()
done = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, check=True, text=True)
print("subprocess:", done.stdout.strip())
