from phrases import find_phrases

for lines in (["Over the hill"], []):
    try:
        print(find_phrases(lines, ["the hill", "sea"]))
    except ValueError as refusal:
        print("refused:", type(refusal).__name__)
