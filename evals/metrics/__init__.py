"""What scores are: pass@k, percentile ranks, gains, and intervals for them."""
