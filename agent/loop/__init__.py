"""The loop: its graph, state, records, and how a result is made of them."""
