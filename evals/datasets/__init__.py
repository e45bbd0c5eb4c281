"""Benchmarks: where they are, how their records are laid out, and what a problem is made of."""
