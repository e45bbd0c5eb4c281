"""Puts the pages of the documentation's site together, from README.md, docs/ and the code."""
