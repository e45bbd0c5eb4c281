"""Finds workloads inside the sandbox: stdlib only, Python 3.9 and newer; the host binds this folder read-only."""
