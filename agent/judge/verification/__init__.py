"""Whether two programs do the same: the search for an input on which they differ, and the smallest such input."""
