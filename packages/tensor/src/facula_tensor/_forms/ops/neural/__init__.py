"""The public functions of `ops/neural/`, written by `python -m facula_tensor._forms`."""
