"""What an editor holds: documents, their functions, notebooks as modules, and edits that fit the text of now."""
