"""Names of PyTorch's torch.quasirandom, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.sobol import SobolEngine as SobolEngine
