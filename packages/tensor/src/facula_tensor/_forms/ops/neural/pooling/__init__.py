"""The public functions of `ops/neural/pooling/`, written by `python -m facula_tensor._forms`."""
