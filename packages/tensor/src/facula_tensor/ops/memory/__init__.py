"""Memory: copies, conversions, writing into a tensor, and tensors over the same memory."""
