"""Requests to a language model: at a known cost, side by side, retried where that helps, never paid for twice."""
