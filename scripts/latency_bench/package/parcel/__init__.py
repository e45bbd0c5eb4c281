"""A small package with slow functions."""
