"""Runs as they are kept: what a run needs to go on after it was killed, and what came of those that ended."""
