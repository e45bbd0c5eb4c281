"""The tables and figures of finished evaluations, as a page and as Markdown."""
