"""Cold-start data: a model's own answers to the prompts of a data set, kept if they pass."""
