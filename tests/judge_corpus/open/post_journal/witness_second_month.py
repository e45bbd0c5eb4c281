import os
import tempfile

from journal import post_journal

with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, "journal.csv")
    for month in ("03", "04"):
        with open(source, "w", encoding="utf-8") as journal:
            journal.write(f"2024-{month}-01;1000;5.00\n2024-{month}-02;1000;7.00\n")
        post_journal(source, folder)
    with open(os.path.join(folder, "1000.txt"), encoding="utf-8") as posted:
        print(posted.read())
