# attack: leaves files, folders, links and FIFOs of every kind, some locked away, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import os

for place in ("/tmp", "/dev/shm"):
    if os.listdir(place):
        print("CANARY", place, os.listdir(place))
    if os.stat(place).st_mode & 0o7777 != 0o1777:
        print("CANARY mode", oct(os.stat(place).st_mode))
    os.chdir(place)
    os.makedirs("locked/deep")
    with open("locked/deep/file", "w") as file:
        file.write("left")
    os.mkfifo("fifo")
    os.symlink("/usr", "link")
    os.symlink(".", "loop")
    os.link("locked/deep/file", ".hidden")
    os.link("fifo", "fifo of two names")
    os.chmod("locked/deep", 0)
    os.chmod("locked", 0)
    os.chmod(place, 0)
print("DENIED")
