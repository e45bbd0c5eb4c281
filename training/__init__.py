"""Dataset builders, reward and trainers. Nothing is built here yet."""
