"""The public functions of `_creation/`, written by `python -m facula_tensor._forms`."""
