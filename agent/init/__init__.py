"""`afterburner-agent init`: sets up a project, one file after the other, each shown before it is written."""
