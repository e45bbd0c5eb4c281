"""The meter: a small static C program, process 1 of every container; `meter_build` compiles it."""
