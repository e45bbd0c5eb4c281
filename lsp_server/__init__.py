"""The loop in the editor: a language server."""
