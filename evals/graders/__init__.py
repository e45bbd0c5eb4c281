"""The rules by which benchmarks call an answer right, each as the checker of a problem."""
