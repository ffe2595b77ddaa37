"""The base class of optimizers, in PyTorch's module for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from facula_tensor import Tensor

from .._lookup.names import publish
from .._lookup.siblings import needs

with needs("facula.optim.optimizer"):
    from facula_optim import Optimizer

__all__ = ["Optimizer"]

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class _RequiredParameter:
    """The default of an optimizer option that has no default, in programs' own optimizers."""

    def __repr__(self) -> str:
        return "<required parameter>"


required: _RequiredParameter = _RequiredParameter()

publish(__name__)
