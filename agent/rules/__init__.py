"""The embedded rules: source-to-source rewrites that need no model, no key and no network."""
