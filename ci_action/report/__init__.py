"""The report as it travels: its form, and how a stranger's is read."""
