"""Python that runs in the sandbox: calls, generators and checkers of benchmarks. It runs on Python 3.9."""
