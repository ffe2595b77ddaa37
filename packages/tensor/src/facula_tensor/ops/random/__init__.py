"""Random sampling: dropout, and draws whose parameters are tensors."""
