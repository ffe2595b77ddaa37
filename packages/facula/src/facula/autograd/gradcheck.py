"""Checks of gradients, where programs for PyTorch look for them."""

# ruff: noqa: F401

from facula_autograd import GradcheckError, gradcheck, gradgradcheck

from .._lookup.names import publish

publish(__name__)
