"""The fast path of `_dispatch/`, written by `python -m facula_tensor._forms`."""
