"""Training: data sets and the reward."""
