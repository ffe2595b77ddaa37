"""PyTorch's files: read without executing code in them, and written such that PyTorch can read them.

Modules for reading, in order of the data flow: `sources` (the bytes of a file), `zip_directory` and `legacy` (locations
of the pickle and the storages), `machine` and `opcodes` (pickles), `tables` with `plain_globals`, `rare_globals`,
`numpy_globals` and `tensor_globals` (the names that a pickle may use), `storages` (memory), `reading` (the complete
reader), `skimming` and `outline` (descriptions of a file without building its object). Modules for writing: `names`,
`pickling`, `writing`.
"""
