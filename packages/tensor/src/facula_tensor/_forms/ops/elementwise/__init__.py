"""The public functions of `ops/elementwise/`, written by `python -m facula_tensor._forms`."""
