# attack: prints every answer it can think of, one after the other, for a judge that looks for the right one among them
# must: wrong_answer
# expects: 4242
for answer in range(5000):
    print(answer)
