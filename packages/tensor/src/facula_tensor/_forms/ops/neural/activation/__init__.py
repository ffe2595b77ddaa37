"""The public functions of `ops/neural/activation/`, written by `python -m facula_tensor._forms`."""
