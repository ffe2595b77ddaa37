"""The public functions of `ops/neural/losses/`, written by `python -m facula_tensor._forms`."""
