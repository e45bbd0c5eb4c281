# attack: prints a wrong answer, and the right one behind what makes terminals forget it
# must: wrong_answer
# prints: wrong\rright\x08\x7f\x1b[2Kright
# expects: right
print("wrong\rright\b\x7f\x1b[2Kright")
