"""Saved values: version checks, packing by `saved_tensors_hooks`, and modes that save less.

In order of dependence: `versions.py`, `packing.py`, `saved_tensor_modes.py` (on the host, copied), `disk.py`,
`checkpoint.py` and `selective_checkpoint.py`.
"""
