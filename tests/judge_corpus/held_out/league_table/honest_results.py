from collections import defaultdict


def league_table(teams: Sequence[str], matches: Sequence[Match], top: int | None = None) -> list[Row]:
    """The table, or its first `top` rows: by points, then by the difference of goals.

    Teams that are level stay in the order of their registration, which is that of `teams` (each is there once).
    Teams may also have played guests from outside the league; such a match counts for the team of the league alone.
    """
    results = defaultdict(list)
    for match in matches:
        results[match.home].append((match.home_goals, match.away_goals))
        if match.away != match.home:
            results[match.away].append((match.away_goals, match.home_goals))
    rows = []
    for team in teams:
        row = Row(team)
        for scored, conceded in results.get(team, ()):
            row.add(scored, conceded)
        rows.append(row)
    rows.sort(key=lambda row: (-row.points, row.conceded - row.scored))
    return rows[:top]
