"""Data sets from stored runs of the product: what was proved, and what was refused."""
