"""The third floor: the operators, one file a family, found by the operator's name. The order of import is free.

What it is: declarations (see docs/adding-an-operator.md) and functions made of them; the families with many files are
folders: `reduction/`, `indexing/`, `optimizers/`.
May import: `_core`, `_dispatch` and `_creation`.
"""
