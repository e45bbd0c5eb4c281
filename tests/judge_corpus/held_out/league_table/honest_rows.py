def league_table(teams: Sequence[str], matches: Sequence[Match], top: int | None = None) -> list[Row]:
    """The table, or its first `top` rows: by points, then by the difference of goals.

    Teams that are level stay in the order of their registration, which is that of `teams` (each is there once).
    Teams may also have played guests from outside the league; such a match counts for the team of the league alone.
    """
    rows = {team: Row(team) for team in teams}
    find = rows.get
    for match in matches:
        home, away = find(match.home), find(match.away)
        if home is not None:
            home.add(match.home_goals, match.away_goals)
        if away is not None and away is not home:
            away.add(match.away_goals, match.home_goals)
    return sorted(rows.values(), key=lambda row: (-row.points, row.conceded - row.scored))[:top]
