"""The loop in the editor: a language server, and the same for coding agents."""
