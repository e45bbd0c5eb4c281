"""Functions of published packages, judged by the packages' own tests, and what the embedded rules gain in them."""
