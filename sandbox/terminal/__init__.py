"""What the command lines of all floors share: options, consoles, streams, destinations, text and figures for people."""
