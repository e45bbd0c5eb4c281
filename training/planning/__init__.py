"""What a training run needs, before it starts: memory, tokens, sandbox time, hours and disk space."""
