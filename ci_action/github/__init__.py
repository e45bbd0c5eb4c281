"""GitHub: the event, the API, the comment and the review."""
