"""Images that a project's code runs in, made of what the project declares."""
