"""The public functions of `ops/memory/`, written by `python -m facula_tensor._forms`."""
