"""Counters that the status page shows."""

BOOKED = {"movements": 0}
