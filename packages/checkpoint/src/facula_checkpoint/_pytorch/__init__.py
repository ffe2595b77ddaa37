"""PyTorch's files: read without running what is in them, and written so that PyTorch reads them.

Reading, in the order of the data's way: `sources` (the bytes of a file), `zip_directory` and `legacy` (where the pickle
and the storages are), `machine` and `opcodes` (pickles), `tables` with `plain_globals`, `rare_globals`,
`numpy_globals` and `tensor_globals` (the names that a pickle may use), `storages` (memory), `reading` (all of it
together), `skimming` and `outline` (what a file describes, unbuilt). Writing: `names`, `pickling`, `writing`.
"""
