def league_table(teams: Sequence[str], matches: Sequence[Match], top: int | None = None) -> list[Row]:
    """The table, or its first `top` rows: by points, then by the difference of goals.

    Teams that are level stay in the order of their registration, which is that of `teams` (each is there once).
    Teams may also have played guests from outside the league; such a match counts for the team of the league alone.
    """
    rows: dict[str, Row] = {}
    for match in matches:
        for team, scored, conceded in (
            (match.home, match.home_goals, match.away_goals),
            (match.away, match.away_goals, match.home_goals),
        ):
            row = rows.get(team)
            if row is None:
                row = rows[team] = Row(team)
            row.add(scored, conceded)
    entry = {team: place for place, team in enumerate(teams)}
    return sorted(
        rows.values(), key=lambda row: (-row.points, row.conceded - row.scored, entry.get(row.team, len(entry)))
    )[:top]
