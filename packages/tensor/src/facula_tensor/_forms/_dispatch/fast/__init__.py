"""The fast path of `_dispatch/fast/`, written by `python -m facula_tensor._forms`."""
