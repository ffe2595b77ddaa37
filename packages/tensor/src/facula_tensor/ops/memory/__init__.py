"""Memory: copies, conversions, assignment to a tensor, and tensors that share memory."""
