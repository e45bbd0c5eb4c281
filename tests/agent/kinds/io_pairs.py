import sys

lines = sys.stdin.readlines()
target = int(lines[0])
nums = list(map(int, lines[1].split()))
count = 0
i = 0
while i < len(nums):
    j = i + 1
    while j < len(nums):
        if nums[i] + nums[j] == target:
            count += 1
        j += 1
    i += 1
print(count)
