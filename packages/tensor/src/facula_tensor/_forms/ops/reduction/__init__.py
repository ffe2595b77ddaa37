"""The public functions of `ops/reduction/`, written by `python -m facula_tensor._forms`."""
