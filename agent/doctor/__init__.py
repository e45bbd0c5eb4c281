"""`afterburner-agent doctor`: checks every part of this machine, and shows how to fix what is missing."""
