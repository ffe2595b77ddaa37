"""Linear algebra: matrix products, decompositions, and linear systems."""
