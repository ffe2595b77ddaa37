"""Divergences; the names of facula_distributions.kl."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.distributions.kl"):
    from facula_distributions.kl import *

__all__ = ["kl_divergence", "register_kl"]
