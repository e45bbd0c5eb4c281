"""What a language model is sent and how its answer is read: plain values in, text out, and back."""
