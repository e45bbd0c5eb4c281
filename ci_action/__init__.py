"""The loop on a pull request: what it changes is measured, and what was found is said, safely."""
