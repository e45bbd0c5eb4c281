"""The meter: a small static C program, process 1 of every container, and how it is compiled."""
