from league import Match, league_table

matches = [Match("Adler", "Tourists", 0, 4), Match("Borussia", "Adler", 2, 1)]
for row in league_table(["Adler", "Borussia", "Newcomers"], matches):
    print(row)
