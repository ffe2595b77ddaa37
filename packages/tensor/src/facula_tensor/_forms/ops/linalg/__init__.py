"""The public functions of `ops/linalg/`, written by `python -m facula_tensor._forms`."""
