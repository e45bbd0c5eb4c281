"""Scripts that run inside the sandbox to find workloads: stdlib only, Python 3.9 and newer."""
