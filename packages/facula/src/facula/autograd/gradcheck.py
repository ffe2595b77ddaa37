"""Checks of gradients, where programs for PyTorch look for them."""

from facula_autograd import GradcheckError, gradcheck, gradgradcheck

from .._names import publish

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

publish(__name__)
