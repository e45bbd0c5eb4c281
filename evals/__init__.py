"""Offline evaluation: datasets, metrics and reports. Nothing is built here yet."""
