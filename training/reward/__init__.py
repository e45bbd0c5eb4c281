"""The paper's reward, from the product's own sandbox and rules."""
