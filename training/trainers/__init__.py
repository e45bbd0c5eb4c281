"""Trains models: SFT, DPO, cold start and GRPO, on TRL."""
