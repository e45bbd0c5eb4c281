"""What rules know of the code that they look at."""
