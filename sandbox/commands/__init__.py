"""The sandbox's part of the command line, and what the commands of every floor print with."""
