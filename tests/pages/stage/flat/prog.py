"""Prints how many different numbers there are."""

seen = []
for word in input().split():
    if word not in seen:
        seen.append(word)
print(len(seen))
