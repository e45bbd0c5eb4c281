"""Many targets in one call: profile, rank, work through the best, put the offers together, check the tests."""
