"""Parameters that are computed from others; the names of facula_nn.utils.parametrize."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.utils.parametrize"):
    from facula_nn.utils.parametrize import *

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "type_before_parametrizations",
]  # fmt: skip
