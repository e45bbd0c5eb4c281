"""`afterburner-agent doctor`: what works on this machine, on every floor, and the command that mends what does not."""
