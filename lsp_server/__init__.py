"""The loop in the editor. Nothing is built here yet."""
