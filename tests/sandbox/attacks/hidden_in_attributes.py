# attack: keeps its data in extended attributes of one file, which are the kernel's memory and not of the folder's size
# must: runtime_error
import os

with open("/tmp/file", "w") as file:
    for folder in ("/tmp", "/dev/shm"):
        with open(f"{folder}/file", "w") as file:
            try:
                for number in range(8000):
                    os.setxattr(file.fileno(), f"user.{number}", bytes(60000))
            except OSError:
                pass
