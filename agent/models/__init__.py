"""What writes candidates: the embedded rules, a recording, or a language model."""
