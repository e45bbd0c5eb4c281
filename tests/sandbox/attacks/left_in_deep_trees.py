# attack: leaves a tree that is too deep for any path, and folders with too many entries to be removed in passing
# must: accepted
# prints: DENIED
# cases: 3
import os

if os.listdir("/tmp"):
    print("CANARY", os.listdir("/tmp")[:3])
os.chdir("/tmp")
for number in range(3000):
    os.symlink("x", f"{number}")
os.mkdir("deep")
os.chdir("deep")
for _ in range(1500):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
with open("left", "w") as file:
    file.write("at the bottom")
print("DENIED")
