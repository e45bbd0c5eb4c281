"""What the command lines of all floors share: options, consoles, streams, destinations, and figures for people."""
