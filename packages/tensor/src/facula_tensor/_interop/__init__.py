"""Interoperability of tensors: Python protocols, NumPy, the autograd engine, display, and serialisation.

Contents: `engine` (the autograd engine's adapter), `protocols` and `export` (Python's, NumPy's, DLPack),
`pickling`, `shared_memory`; `repr`, `html`, `formatting`, `print_options`; `constructor`, `typed`, `older_methods`,
`untyped_storage` and `set` for programs written for PyTorch; `flags`. May import: all lower layers.
"""
