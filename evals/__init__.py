"""Offline evaluation: benchmarks, their graders, metrics, the measured loop and its reports."""
