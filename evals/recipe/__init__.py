"""From raw problems with human solutions to a benchmark that is measured on this machine."""
