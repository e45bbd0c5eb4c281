"""Code that runs inside the sandbox, in the payload's own process: stdlib only, Python 3.9 and newer."""
