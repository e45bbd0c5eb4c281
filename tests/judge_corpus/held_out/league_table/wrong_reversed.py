def league_table(teams: Sequence[str], matches: Sequence[Match], top: int | None = None) -> list[Row]:
    """The table, or its first `top` rows: by points, then by the difference of goals.

    Teams that are level stay in the order of their registration, which is that of `teams` (each is there once).
    Teams may also have played guests from outside the league; such a match counts for the team of the league alone.
    """
    rows = {team: Row(team) for team in teams}
    for match in matches:
        if match.home in rows:
            rows[match.home].add(match.home_goals, match.away_goals)
        if match.away in rows and match.away != match.home:
            rows[match.away].add(match.away_goals, match.home_goals)
    table = sorted(rows.values(), key=lambda row: (row.points, row.scored - row.conceded))
    table.reverse()
    return table[:top]
