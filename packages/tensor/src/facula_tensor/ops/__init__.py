"""The third floor: the operators, a room a family. The order of import is free.

What it is: declarations (see docs/adding-an-operator.md) and functions made of them. `memory/` copies and converts;
`elementwise/` computes element by element; `shape/` has views and joins, `indexing/` chooses elements, `reduction/`
computes along dimensions, and sorts; `linalg/`, `fft.py`, `random/` and `neural/` are made for their fields;
`optimizers/` has the steps of optimizers. `aliases.py` and `inplace_functions.py` give operators further names.
May import: `_core`, `_dispatch` and `_creation`.
"""
