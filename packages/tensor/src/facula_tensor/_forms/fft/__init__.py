"""The public functions of `fft/`, written by `python -m facula_tensor._forms`."""
