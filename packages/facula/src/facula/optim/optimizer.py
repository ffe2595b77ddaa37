"""The base class of optimizers, where programs for PyTorch look for it."""

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
    """What optimizers of one's own give as the default of an option that has none."""

    def __repr__(self) -> str:
        return "<required parameter>"


required: _RequiredParameter = _RequiredParameter()

publish(__name__)
