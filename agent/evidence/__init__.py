"""What a sceptic can check: growth with the input's size, the Pareto front, the receipt and its replay."""
