"""Configurations that are part of this program."""
