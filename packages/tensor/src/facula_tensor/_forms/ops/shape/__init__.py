"""The public functions of `ops/shape/`, written by `python -m facula_tensor._forms`."""
