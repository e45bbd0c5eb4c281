from phrases import find_phrases

print(find_phrases(["Auf der Straße steht ein Haus", "STRASSE UM STRASSE"], ["Strasse", "STRAßE UM"]))
