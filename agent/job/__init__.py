"""What is to be optimised: a file, a text or a problem, and whether it may be run."""
