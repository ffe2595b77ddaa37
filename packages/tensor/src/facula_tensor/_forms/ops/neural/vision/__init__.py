"""The public functions of `ops/neural/vision/`, written by `python -m facula_tensor._forms`."""
