"""Reductions: operators that leave out dimensions. `reducing` has what all share: dims, shapes, the way back."""
