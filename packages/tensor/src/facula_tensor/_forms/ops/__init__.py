"""The public functions of `ops/`, written by `python -m facula_tensor._forms`."""
