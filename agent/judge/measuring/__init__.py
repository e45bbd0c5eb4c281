"""What samples are taken with: a target's programs and cases, and where blocks of samples come from."""
