"""Initial values of parameters; the names of facula_nn.init."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.nn.init"):
    from facula_nn.extend import fan_in_and_fan_out as _calculate_fan_in_and_fan_out  # noqa: F401  PyTorch's name
    from facula_nn.init import *

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
    "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip
