"""Where the code to optimise is, and how a rewrite is put in its place."""
