"""The report for people: results of runs and comparisons as one HTML page that needs nothing from elsewhere."""
