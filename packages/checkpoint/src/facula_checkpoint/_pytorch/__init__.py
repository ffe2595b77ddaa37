"""PyTorch's files: what `torch.save` writes, read without running what is in them, and written so that PyTorch reads it.

Reading, in order of the data's way: `sources` (bytes of a file), `zip_directory` and `legacy` (where the pickle and the
storages are), `machine` (the pickle's opcodes), `tables` with `plain_globals`, `numpy_globals` and `tensor_globals`
(the names that a pickle may use), `storages` (memory), `reading` (all of it together). Writing: `pickling`, `writing`.
"""
