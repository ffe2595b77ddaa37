"""The public functions of `ops/random/`, written by `python -m facula_tensor._forms`."""
