"""Indexing: `x[...]` and `x[...] = y`.

`windows` finds the view that integers, slices, None and `...` show; `getitem` and `setitem` are the two calls; `many`
joins several index tensors.
"""
