"""The public functions of `ops/indexing/`, written by `python -m facula_tensor._forms`."""
