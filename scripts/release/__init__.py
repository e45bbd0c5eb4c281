"""What `make release-check` looks at before a release: all that can be checked without a network."""
