# attack: gives the first half of the answer, for a judge that compares no further than it was given
# must: wrong_answer
# prints: one
# expects: one two
print("one")
