import os
import tempfile

from journal import JournalError, post_journal

with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, "journal.csv")
    with open(source, "w", encoding="utf-8") as journal:
        journal.write("2024-03-01;1000;5.00\n2024-03-02;1000\n2024-03-03;1000;7.00\n")
    try:
        print(post_journal(source, folder))
    except JournalError as error:
        print(error)
