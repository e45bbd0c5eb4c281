import unittest
from datetime import datetime

from visits import load_visits


class LoadVisits(unittest.TestCase):
    def test_a_line(self):
        (visit,) = load_visits(["2024-03-01 09:30:00\tann\t/a%20b\n"])
        self.assertEqual((visit.when, visit.user, visit.path), (datetime(2024, 3, 1, 9, 30), "ann", "/a b"))

    def test_bad_lines_are_logged(self):
        with self.assertLogs("shop.visits", "WARNING") as logs:
            self.assertEqual(load_visits(["rubbish\n", "yesterday\tann\t/\n"]), [])
        self.assertTrue(logs.output)
