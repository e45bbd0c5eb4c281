from league import Match, league_table

matches = [Match("Adler", "Borussia", 1, 1), Match("Celtic", "Dynamo", 1, 1)]
print([row.team for row in league_table(["Adler", "Borussia", "Celtic", "Dynamo"], matches)])
