def league_table(teams: Sequence[str], matches: Sequence[Match], top: int | None = None) -> list[Row]:
    """The table, or its first `top` rows: by points, then by the difference of goals.

    Teams that are level stay in the order of their registration, which is that of `teams` (each is there once).
    Teams may also have played guests from outside the league; such a match counts for the team of the league alone.
    """
    tallies = {team: [0, 0, 0, 0] for team in teams}
    for match in matches:
        home_goals, away_goals = match.home_goals, match.away_goals
        sides = [(match.home, home_goals, away_goals)]
        if match.away != match.home:
            sides.append((match.away, away_goals, home_goals))
        for team, scored, conceded in sides:
            if team in tallies:
                tally = tallies[team]
                tally[0] += 1
                tally[1] += 3 if scored > conceded else int(scored == conceded)
                tally[2] += scored
                tally[3] += conceded
    rows = [Row(team, *tally) for team, tally in tallies.items()]
    rows.sort(key=lambda row: (-row.points, row.conceded - row.scored))
    return rows[:top]
