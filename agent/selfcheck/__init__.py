"""Tries the judgement on this machine: identical code must not win, and known gains must be found."""
