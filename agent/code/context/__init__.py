"""What is around a target in its project: gathered by reading files, without running or importing any of them."""
