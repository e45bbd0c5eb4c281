"""Table of the amateur league."""

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Match:
    home: str
    away: str
    home_goals: int
    away_goals: int


@dataclass
class Row:
    team: str
    played: int = 0
    points: int = 0
    scored: int = 0
    conceded: int = 0

    def add(self, scored: int, conceded: int) -> None:
        self.played += 1
        self.scored += scored
        self.conceded += conceded
        self.points += 3 if scored > conceded else int(scored == conceded)


def league_table(teams: Sequence[str], matches: Sequence[Match], top: int | None = None) -> list[Row]:
    """The table, or its first `top` rows: by points, then by the difference of goals.

    Teams that are level stay in the order of their registration, which is that of `teams` (each is there once).
    Teams may also have played guests from outside the league; such a match counts for the team of the league alone.
    """
    rows = []
    for team in teams:
        row = Row(team)
        for match in matches:
            if match.home == team:
                row.add(match.home_goals, match.away_goals)
            elif match.away == team:
                row.add(match.away_goals, match.home_goals)
        rows.append(row)
    rows.sort(key=lambda row: (-row.points, row.conceded - row.scored))
    return rows[:top]


def make_season(rng: random.Random, count: int, rounds: int) -> tuple[list[str], list[Match]]:
    teams = [f"SV {number:03}" for number in range(count)]
    matches = []
    for _ in range(rounds):
        draw = rng.sample(teams, count)
        for home, away in zip(draw[::2], draw[1::2]):
            matches.append(Match(home, away, rng.randrange(5), rng.randrange(4)))
    return teams, matches


if __name__ == "__main__":
    rng = random.Random(37)
    for count, rounds, top in ((420, 26, 1), (480, 22, 2), (380, 30, 1), (440, 28, 2), (500, 20, 1)):
        teams, matches = make_season(rng, count, rounds)
        table = league_table(teams, matches, top)
        print(count, len(matches), [(row.points, row.scored - row.conceded) for row in table], table[0].played)
