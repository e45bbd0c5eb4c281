import unittest

from league import Match, league_table


class LeagueTable(unittest.TestCase):
    def test_points_and_goals(self):
        matches = [Match("A", "B", 3, 0), Match("B", "C", 1, 0), Match("C", "A", 2, 2)]
        table = league_table(["C", "B", "A"], matches)
        self.assertEqual([(row.team, row.points) for row in table], [("A", 4), ("B", 3), ("C", 1)])

    def test_top(self):
        self.assertEqual(len(league_table(["A", "B"], [Match("A", "B", 1, 0)], top=1)), 1)
