"""L-BFGS: steps with an inverse Hessian that is approximated from recent gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, cat, enable_grad, no_grad, zeros

from ._fused import FusedOptimizer
from ._groups import number_of
from ._line_search import strong_wolfe

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, SupportsFloat

    from ._types import Curvature, Group, Options, Params, StateDict

SEARCHES = (None, "strong_wolfe")


@boundary
class LBFGS(FusedOptimizer):
    """Limited-memory BFGS: the program passes a closure, which one step calls up to `max_eval` times.

    A step makes up to `max_iter` moves along d = -H g, where H approximates the inverse Hessian from the last
    `history_size` changes of parameters and gradients. A move has the length lr * d (the first move of all is limited
    to lr in the 1-norm). With `line_search_fn="strong_wolfe"`, its length satisfies the strong Wolfe conditions. The
    step ends when the largest element of the gradient is at most `tolerance_grad`, or when a move changes parameters or
    loss by less than `tolerance_change`. Only one group is supported. The state, stored for the first parameter, is
    PyTorch's.

    `max_eval` defaults to max_iter * 5 // 4. Parameters are float32 or float64; ValueError for options out of
    range and for several groups, TypeError for a step without a closure.

    Arguments:
        params: tensors, or one group.
        lr: the factor of moves without line search.
        max_iter: the maximum number of moves per step.
        max_eval: the maximum number of closure calls per step; max_iter * 5 // 4 if None.
        tolerance_grad: the step ends when no element of the gradient exceeds this.
        tolerance_change: the step ends when parameters or loss change by less than this.
        history_size: the number of changes stored.
        line_search_fn: "strong_wolfe", or None for no line search.

    Nocedal and Wright 2006, Numerical optimization, algorithms 7.4, 3.5 and 3.6.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = LBFGS([x])
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (x * x).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(5., grad_fn=<sum>)
    >>> closure().item() < 1e-9
    True
    """

    numbers = ("lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size")
    needs_whole = True

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ):
        most = number_of("LBFGS", "max_iter", max_iter) * 5 // 4 if max_eval is None else max_eval
        defaults = {"lr": lr, "max_iter": max_iter, "max_eval": most, "tolerance_grad": tolerance_grad,
                    "tolerance_change": tolerance_change, "history_size": history_size,
                    "line_search_fn": line_search_fn}  # fmt: skip
        super().__init__(params, defaults)

    def add_param_group(self, param_group: Group) -> None:
        """Add the only group; ValueError for a second one."""
        if self.param_groups:
            raise InvalidValueError("LBFGS: expected a single parameter group; got several")
        super().add_param_group(param_group)

    def _check_options(self, options: Options) -> None:
        super()._check_options(options)
        if options["line_search_fn"] not in SEARCHES:
            raise InvalidValueError(
                f"LBFGS: expected line_search_fn to be None or 'strong_wolfe'; got {options['line_search_fn']!r}"
            )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move up to `max_iter` times, and return the loss before the first move.

        `closure` computes the loss: it clears the gradients, calls backward, and returns the loss, a tensor.
        """
        if not callable(closure):
            raise InvalidTypeError("LBFGS.step: expected a closure that computes the loss; got none")
        group: Any
        (group,) = self.param_groups
        self._check_options(group)
        with enable_grad():
            first_loss = closure()
        with no_grad():
            self._minimize(group, closure, float(first_loss))
        return first_loss

    def _minimize(self, group: Options, closure: Callable[[], SupportsFloat], loss: float) -> None:
        """Move until a termination criterion is met.

        Arguments:
            group: the only group.
            closure: the function that computes the loss and the gradients.
            loss: the initial loss.
        """
        rate, smallest = float(group["lr"]), float(group["tolerance_change"])
        params = group["params"]
        kept: Any = self.state[params[0]]
        state: Curvature = kept
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        state["func_evals"] += 1
        evaluations = 1
        gradient = flat_gradient(params)
        if gradient.abs().max().item() <= group["tolerance_grad"]:
            return
        last = int(group["max_iter"]) - 1
        for number in range(last + 1):
            state["n_iter"] += 1
            direction = self._direction(state, gradient, int(group["history_size"]))
            before, state["prev_loss"], state["prev_flat_grad"], state["d"] = loss, loss, gradient, direction
            state["t"] = min(1.0, 1.0 / gradient.abs().sum().item()) * rate if state["n_iter"] == 1 else rate
            slope = gradient.dot(direction).item()
            if slope > -smallest:
                return
            if group["line_search_fn"]:
                start = [p.clone() for p in params]

                def at(size: float) -> tuple[float, Tensor]:
                    move(params, start, direction, size)  # noqa: B023  called only in this iteration
                    with enable_grad():
                        value = float(closure())
                    return value, flat_gradient(params)

                loss, gradient, state["t"], calls = strong_wolfe(
                    at, state["t"], direction, loss, gradient, slope, smallest
                )
                move(params, start, direction, state["t"])
            else:
                move(params, params, direction, state["t"])
                calls = 0
                if number != last:  # otherwise, the next step computes the loss anyway
                    with enable_grad():
                        loss = float(closure())
                    gradient, calls = flat_gradient(params), 1
            evaluations += calls
            state["func_evals"] += calls
            if (
                evaluations >= group["max_eval"]
                or gradient.abs().max().item() <= group["tolerance_grad"]
                or (direction * state["t"]).abs().max().item() <= smallest
                or abs(loss - before) < smallest
            ):
                return

    def _direction(self, state: Curvature, gradient: Tensor, most: int) -> Tensor:
        """Add the last change to the history, and return -H times the gradient.

        Arguments:
            state: the state between steps, which is modified.
            gradient: the present gradient, as one vector.
            most: the maximum number of changes stored.
        """
        if "d" not in state:
            state.update({"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1, "al": [None] * most})
            return -gradient
        changes, steps, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        change, step = gradient - state["prev_flat_grad"], state["d"] * state["t"]
        curvature = change.dot(step)
        if curvature.item() > 1e-10:
            if len(changes) == most:
                for kept in (changes, steps, inverses):
                    kept.pop(0)
            changes.append(change)
            steps.append(step)
            inverses.append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change)
        factors = state["al"] = state.get("al") or [None] * most
        result = -gradient
        for i in reversed(range(len(changes))):
            factors[i] = steps[i].dot(result) * inverses[i]
            result = result - factors[i] * changes[i]
        result = result * state["H_diag"]
        for i in range(len(changes)):
            result = result + (factors[i] - changes[i].dot(result) * inverses[i]) * steps[i]
        return result

    def _load_entries(self, parameter: Tensor, entries: StateDict) -> StateDict:
        """Return copies, including tensors in lists; the entries belong to all parameters and have their own shapes."""

        def copied(value: object) -> object:
            if isinstance(value, list):
                return [copied(element) for element in value]
            if isinstance(value, Tensor):
                return value.detach().to(parameter.device, parameter.dtype, copy=True)
            return value

        return {key: copied(value) for key, value in entries.items()}


def flat_gradient(params: list[Tensor]) -> Tensor:
    """Return all gradients concatenated, with zeros for missing ones."""
    parts = [zeros(p.numel(), dtype=p.dtype, device=p.device) if p.grad is None else p.grad.reshape(-1) for p in params]
    return cat(parts).detach()


def move(params: list[Tensor], start: list[Tensor], direction: Tensor, size: float) -> None:
    """Set each parameter to `start` plus `size` times its part of the direction.

    Arguments:
        params: the parameters to modify.
        start: the starting point of each parameter.
        direction: a vector that concatenates the parts of the parameters.
        size: the factor of the direction.
    """
    at = 0
    for p, begin in zip(params, start, strict=True):
        count = p.numel()
        part = direction[at : at + count].reshape(tuple(p.shape))
        p.copy_(begin + part * size)
        at += count
