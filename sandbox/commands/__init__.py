"""The sandbox's commands: `sandbox run` and `sandbox serve`; and the checks of `doctor` that concern the sandbox."""
