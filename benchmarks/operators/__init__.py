"""Rows of single operators: their calls with small operands, their kernels with large ones, and graphs of them."""
