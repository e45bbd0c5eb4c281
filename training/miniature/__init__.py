"""A miniature of the paper: generated problems and a small language model, trained from scratch on two cores."""
