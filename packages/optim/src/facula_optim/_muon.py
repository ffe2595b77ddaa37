"""Muon: momentum of matrices, made orthogonal before it is added."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, addmm, no_grad

from ._fused import FusedOptimizer
from ._groups import chosen, number_of

if TYPE_CHECKING:
    from ._types import Options, Params

ADJUSTMENTS = (None, "original", "match_rms_adamw")
MOST_STEPS = 100  # fewer than this; five are usual


@boundary
class Muon(FusedOptimizer):
    """Momentum of each matrix, made nearly orthogonal by Newton and Schulz's iteration, as the step.

    B = momentum * B + (1 - momentum) * grad; with `nesterov` the step is made of grad and B in these shares, else of B.
    Its singular values are brought near 1 by `ns_steps` rounds of a X + (b G + c G²) X with G = X Xᵀ.
    Then p = p * (1 - lr * weight_decay) - rate * step, where rate is lr * sqrt(max(1, rows / columns)), or
    lr * 0.2 * sqrt(max(rows, columns)) with `adjust_lr_fn="match_rms_adamw"`.

    Parameters are matrices of float32 or float64 (ValueError for others: give biases and embeddings to AdamW).
    State: "momentum_buffer".

    Arguments:
        params: matrices, pairs of name and matrix, or groups with options of their own.
        lr: the learning rate, of 0 or more.
        weight_decay: the share, times lr, by which parameters shrink.
        momentum: the share of the former B that stays.
        nesterov: whether the step looks ahead.
        ns_coefficients: a, b and c of the iteration.
        eps: the least norm that a matrix is divided by before the iteration.
        ns_steps: rounds of the iteration, fewer than 100.
        adjust_lr_fn: "original" (as None), or "match_rms_adamw".

    Raises:
        ValueError: an option out of range, or a parameter that is no matrix.

    Jordan and others 2024, Muon: An optimizer for hidden layers in neural networks.

    >>> from facula_tensor import eye
    >>> weight = eye(2).requires_grad_()
    >>> optimizer = Muon([weight], lr=0.5, weight_decay=0.0)
    >>> (2.0 * weight).sum().backward()
    >>> optimizer.step()
    >>> bool((weight < eye(2)).all())
    True
    """

    numbers = ("lr", "weight_decay", "momentum", "eps")
    keeps = ("momentum_buffer",)
    scalars = ()

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        names = "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn"
        super().__init__(params, chosen(locals(), names))

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        coefficients, steps = options["ns_coefficients"], options["ns_steps"]
        if not isinstance(coefficients, (tuple, list)) or len(coefficients) != 3:
            raise InvalidValueError(f"Muon: expected ns_coefficients to be three numbers; got {coefficients!r}")
        for number, value in enumerate(coefficients):
            number_of("Muon", f"ns_coefficients[{number}]", value)
        if isinstance(steps, bool) or not isinstance(steps, int) or not 0 <= steps < MOST_STEPS:
            raise InvalidValueError(f"Muon: expected ns_steps to be an int from 0 to below {MOST_STEPS}; got {steps!r}")
        if options["adjust_lr_fn"] not in ADJUSTMENTS:
            raise InvalidValueError(
                "Muon: expected adjust_lr_fn to be 'original', 'match_rms_adamw' or None; "
                f"got {options['adjust_lr_fn']!r}"
            )

    def _check_parameters(self, parameters: list[Tensor]) -> None:
        super()._check_parameters(parameters)
        for number, p in enumerate(parameters):
            if p.ndim != 2:
                raise InvalidValueError(
                    f"Muon: expected matrices; parameter {number} has shape {tuple(p.shape)}; "
                    "give biases, embeddings and the like to another optimizer, such as AdamW"
                )

    @no_grad()
    def _step_group(self, group: Options) -> None:
        rate, share = float(group["lr"]), 1.0 - float(group["momentum"])
        tensors, width = self._rows(group, "momentum_buffer")
        for at in range(0, len(tensors), width):
            p, grad, average = tensors[at : at + width]
            average.lerp_(grad, share)
            ahead = average.lerp(grad, share) if group["nesterov"] else average
            step = orthogonalized(ahead, group["ns_coefficients"], int(group["ns_steps"]), float(group["eps"]))
            p.mul_(1.0 - rate * float(group["weight_decay"]))
            p.add_(step, alpha=-rate * _adjustment(group["adjust_lr_fn"], *p.shape))


def _adjustment(adjust_lr_fn: str | None, rows: int, columns: int) -> float:
    """Factor of the rate by a matrix's shape.

    Arguments:
        adjust_lr_fn: "match_rms_adamw", "original" or None.
        rows: the matrix's rows.
        columns: its columns.
    """
    if adjust_lr_fn == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1.0, rows / columns)) if columns else 1.0


def orthogonalized(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """A matrix with the singular vectors of `matrix` and singular values near 1.

    Arguments:
        matrix: the matrix, of any floating dtype.
        coefficients: a, b and c of each round's a X + (b G + c G²) X, where G = X Xᵀ.
        steps: the number of rounds.
        eps: the least norm to divide by at first.
    """
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.mT if tall else matrix  # the smaller of the two products
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.mT
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
