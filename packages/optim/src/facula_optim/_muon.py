"""Muon: momentum steps of matrices, orthogonalized before they are applied."""

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
MAX_STEPS = 100  # exclusive; five are usual


@boundary
class Muon(FusedOptimizer):
    """Steps by the momentum of each matrix, approximately orthogonalized by Newton-Schulz iterations.

    B = momentum * B + (1 - momentum) * grad; with `nesterov`, the step combines grad and B in the same proportions,
    otherwise it is B. `ns_steps` iterations a X + (b G + c G²) X, with G = X Xᵀ, bring its singular values close to 1.
    Then p = p * (1 - lr * weight_decay) - rate * step, where rate is lr * sqrt(max(1, rows / columns)), or
    lr * 0.2 * sqrt(max(rows, columns)) with `adjust_lr_fn="match_rms_adamw"`.

    Parameters are matrices of float32 or float64 (ValueError for others: use AdamW for biases and embeddings).
    State: "momentum_buffer".

    Arguments:
        params: matrices, pairs (name, matrix), or dicts that define groups with their own options.
        lr: the learning rate, at least 0.
        weight_decay: the decay of the parameters per step, relative to lr.
        momentum: the factor of the previous B.
        nesterov: whether to use Nesterov momentum.
        ns_coefficients: a, b and c of the iteration.
        eps: the minimum norm for the division before the iteration.
        ns_steps: the number of iterations, less than 100.
        adjust_lr_fn: "original" (as None), or "match_rms_adamw".

    Raises:
        ValueError: an option out of range, or a parameter that is not a matrix.

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
    by_element = False

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
        if isinstance(steps, bool) or not isinstance(steps, int) or not 0 <= steps < MAX_STEPS:
            raise InvalidValueError(f"Muon: expected ns_steps to be an int from 0 to below {MAX_STEPS}; got {steps!r}")
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
                    "use another optimizer, such as AdamW, for biases and embeddings"
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
    """Return the factor of the rate that depends on a matrix's shape.

    Arguments:
        adjust_lr_fn: "match_rms_adamw", "original" or None.
        rows: the matrix's rows.
        columns: its columns.
    """
    if adjust_lr_fn == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1.0, rows / columns)) if columns else 1.0


def orthogonalized(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Return a matrix with the singular vectors of `matrix` and singular values close to 1.

    Arguments:
        matrix: the matrix, of any floating dtype.
        coefficients: a, b and c of each iteration a X + (b G + c G²) X, where G = X Xᵀ.
        steps: the number of iterations.
        eps: the minimum norm for the initial division.
    """
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.mT if tall else matrix  # makes X Xᵀ the smaller of the two products
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.mT
        x = addmm(x, addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
