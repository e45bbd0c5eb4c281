"""Which candidate wins: interleaved measurements, bootstrap bounds, the decision."""
