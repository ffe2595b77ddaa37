"""The public functions of `linalg/`, written by `python -m facula_tensor._forms`."""
