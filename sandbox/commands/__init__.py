"""The sandbox's commands: `sandbox run`, `sandbox serve` and `doctor`."""
