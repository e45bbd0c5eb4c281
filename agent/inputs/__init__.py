"""The inputs that a target is judged and measured on, each with where it came from."""
