"""The loop on a pull request. Nothing is built here yet."""
