"""The top floor: tensors beside Python, NumPy, the engine, and programs that show or keep them.

What it is: `engine` (what the autograd engine asks of a tensor), `protocols` and `export` (Python's, NumPy's, DLPack),
`pickling`, `shared_memory`; `repr`, `html`, `formatting`, `print_options`; `constructor`, `typed`, `older_methods`,
`untyped_storage` and `set` for programs written for PyTorch; `flags`.
May import: every floor below.
"""
