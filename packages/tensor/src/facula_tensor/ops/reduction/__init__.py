"""Reductions, which remove dimensions, and scans, sorts and searches along a dimension. `arguments` is shared."""
