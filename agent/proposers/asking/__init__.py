"""Asking a language model: at a known cost, side by side, again where that helps, and never for the same twice."""
