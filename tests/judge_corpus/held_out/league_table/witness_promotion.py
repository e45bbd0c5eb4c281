from league import Match, league_table

matches = [Match("Adler", "Borussia", 2, 0), Match("Celtic", "Adler", 0, 1), Match("Borussia", "Celtic", 1, 0)]
for division, places in (("first", 0), ("second", 2)):
    promoted = league_table(["Adler", "Borussia", "Celtic"], matches, top=places)
    print(division, "division, promoted:", [row.team for row in promoted])
