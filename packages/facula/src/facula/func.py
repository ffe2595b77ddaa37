"""Transforms of functions and modules: the names of facula_tensor.func, and functional calls of modules.

May import: siblings. Where next: `facula.autograd.functional` for derivatives at a point.
"""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
