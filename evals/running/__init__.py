"""Carries an evaluation out: problem by problem, on this machine or on a cluster."""
