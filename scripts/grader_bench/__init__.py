"""The parts of `scripts.bench_graders`."""
