"""Gradient checks, in PyTorch's module for them."""

# ruff: noqa: F401

from facula_autograd import GradcheckError, gradcheck, gradgradcheck

from .._lookup.names import publish

publish(__name__)
