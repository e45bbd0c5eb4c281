from phrases import find_phrases

print(find_phrases(["Oh la la la la", "La la, she said"], ["la la", "she"]))
