"""Random sampling: dropout, and sampling with tensors of parameters."""
