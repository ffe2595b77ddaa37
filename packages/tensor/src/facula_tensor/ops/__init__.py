"""The operators, one room per family.

The modules contain operator declarations (see docs/how-to/adding-an-operator.md) and functions composed of them:

* `memory/`: copies and conversions;
* `elementwise/`: elementwise computations;
* `shape/`: views and joins; `indexing/`: selection of elements;
* `reduction/`: reductions, scans and sorting;
* `linalg/`, `fft.py`, `random/` and `neural/`: operators of these fields;
* `optimizers/`: optimizer steps;
* `aliases.py` and `inplace_functions.py`: further names of operators.

The modules may be imported in any order. May import: `_core`, `_dispatch` and `_creation`.
"""
