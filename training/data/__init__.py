"""Data sets for training: from benchmarks with measured solutions, and from runs of the product."""
