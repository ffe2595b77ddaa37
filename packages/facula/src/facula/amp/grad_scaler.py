"""Loss scaling, for gradients that would underflow in half precision.

P. Micikevicius and others: Mixed precision training, ICLR 2018.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, overload
from weakref import WeakKeyDictionary

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary, warn
from facula_storage import float16
from facula_tensor import Tensor, float32, isfinite, no_grad, stack, tensor, where, zeros_like
from facula_tensor.extend.parts import has_parts, reduced_parts
from facula_tensor.extend.recording import current_recorder

from .._lookup.names import publish
from .autocast_mode import has_device

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_optim import Optimizer

    from .._types import AnyValue

__all__ = ["GradScaler", "OptState"]


def _has_infinite(gradient: Tensor) -> Tensor:
    """Return whether an element is infinite or NaN, as a tensor."""
    return isfinite(gradient).logical_not_().any()


class OptState:
    """The state of an optimizer between two updates of the scale."""

    READY, UNSCALED, STEPPED = "ready", "unscaled", "stepped"


@boundary
class GradScaler:
    """A scale for losses, which grows while all gradients are finite and shrinks when they are not.

    Usage: `scaler.scale(loss).backward()`, `scaler.step(optimizer)`, `scaler.update()`. The step divides the gradients
    by the scale, and is skipped if one of them is infinite or NaN. In that case, the update multiplies the scale by
    `backoff_factor`; after `growth_interval` finite steps, by `growth_factor`. `unscale_(optimizer)` before the step
    allows gradients to be clipped.

    Arguments:
        device: where the scale is kept, "cpu" or "cuda"; for unavailable devices, the scaler warns and does not scale.
        init_scale: the initial scale.
        growth_factor: more than 1.
        backoff_factor: between 0 and 1.
        growth_interval: the number of finite steps after which the scale grows.
        enabled: False: only call the optimizer.

    Raises:
        ValueError: the factors do not grow or shrink; or gradients are in float16, which cannot be unscaled.
        RuntimeError: `unscale_` or `step` twice before `update`, or in the wrong order.

    >>> import facula
    >>> weight = facula.ones(1, requires_grad=True)
    >>> optimizer = facula.optim.SGD([weight], lr=0.5)
    >>> scaler = GradScaler("cpu", init_scale=4.0)
    >>> scaler.scale((weight * 2).sum()).backward()
    >>> weight.grad
    tensor([8.])
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> weight, scaler.get_scale()
    (tensor([0.], requires_grad=True), 4.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device, self._enabled = device, enabled
        if enabled and not has_device(str(device).partition(":")[0]):
            warn(f"GradScaler: there is no device {device!r}, and nothing is scaled; use GradScaler('cpu') for the CPU")
            self._enabled = False
        place = device if self._enabled else "cpu"
        if growth_factor <= 1.0:
            raise InvalidValueError(f"GradScaler: expected growth_factor > 1; got {growth_factor}")
        if not 0.0 < backoff_factor < 1.0:
            raise InvalidValueError(f"GradScaler: expected backoff_factor between 0 and 1; got {backoff_factor}")
        self._init_scale = float(init_scale)
        self._scale = tensor(self._init_scale, dtype=float32, device=place)
        self._growth_tracker = tensor(0, device=place)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._states: dict[int, str] = {}  # of optimizers, by id, since the last update
        # A number for each optimizer, not 0 if gradients were not finite; a tensor, which captures need not read.
        self._infinite: WeakKeyDictionary[Optimizer, Tensor] = WeakKeyDictionary()
        self._met: list[Tensor] = []  # those of optimizers that were stepped, or unscaled, since the last update

    @overload
    def scale(self, outputs: Tensor) -> Tensor: ...
    @overload
    def scale(self, outputs: Iterable[Tensor]) -> Iterable[Tensor]: ...
    def scale(self, outputs: Tensor | Iterable[Tensor]) -> Tensor | Iterable[Tensor]:
        """Return a tensor, or each of an iterable of them, multiplied by the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale.to(outputs.device)
        if isinstance(outputs, (list, tuple)) or hasattr(outputs, "__iter__"):
            scaled = [self.scale(output) for output in outputs]
            return tuple(scaled) if isinstance(outputs, tuple) else scaled
        raise InvalidTypeError(f"GradScaler.scale: expected tensors; got {type(outputs).__name__}")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, once before each step."""
        if not self._enabled:
            return
        key = id(optimizer)
        state = self._states.get(key, OptState.READY)
        if state is OptState.UNSCALED:
            raise OperationError("GradScaler.unscale_: called twice for this optimizer; call update() in between")
        if state is OptState.STEPPED:
            raise OperationError("GradScaler.unscale_: called after step(); call it before, or update() in between")
        self._divide(optimizer)
        self._set(key, OptState.UNSCALED)

    def _set(self, key: int, state: str) -> None:
        """Set an optimizer's state, now and in replays of the current capture."""
        recorder = current_recorder()
        if recorder is None:
            self._states[key] = state
        else:
            recorder.act(None, partial(self._states.__setitem__, key, state))

    def _divide(self, optimizer: Optimizer) -> None:
        """Divide all gradients by the scale, and record whether one is not finite."""
        recorder = current_recorder()
        if recorder is not None:
            recorder.reads_groups(optimizer)
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any([gradient.dtype is float16 for gradient in gradients]):
            raise InvalidValueError(
                "GradScaler.unscale_: expected gradients in float32; got float16, in which they cannot be unscaled; "
                "keep the parameters in float32 and use autocast"
            )
        infinite = self._infinite.get(optimizer)
        if infinite is None:
            infinite = self._infinite[optimizer] = zeros_like(self._scale)
        self._met.append(infinite)
        with no_grad():
            infinite.zero_()
            inverse = self._scale.reciprocal()
            for gradient in gradients:
                gradient.mul_(inverse.to(gradient.device))
                if not has_parts(gradient):
                    infinite.add_(_has_infinite(gradient).to(infinite.device))
            parts = [gradient for gradient in gradients if has_parts(gradient)]
            for found in reduced_parts(parts, _has_infinite, lambda found: found.any(0)) if parts else ():
                infinite.add_(found.to(infinite.device))

    def step(self, optimizer: Optimizer, *args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        """Unscale the gradients if necessary; return the result of `optimizer.step`, or None if the step is skipped."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise OperationError(
                "GradScaler.step: expected no closure, which would compute gradients again; compute them before"
            )
        key = id(optimizer)
        state = self._states.get(key, OptState.READY)
        if state is OptState.STEPPED:
            raise OperationError("GradScaler.step: called twice for this optimizer; call update() in between")
        if state is OptState.READY:
            self.unscale_(optimizer)
        infinite = self._infinite[optimizer]
        recorder = current_recorder()
        if recorder is None:
            result = None if infinite.item() else optimizer.step(*args, **kwargs)
        else:
            result = None
            skips = recorder.holds(infinite._storage, infinite._offset)
            with recorder.skipping(infinite._storage, infinite._offset, skips):
                result = None if skips else optimizer.step(*args, **kwargs)
        self._set(key, OptState.STEPPED)
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Adjust the scale after the steps since the last update, or set it. Call it once per iteration."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale.fill_(new_scale)
        elif not self._met:
            raise OperationError(
                "GradScaler.update: expected a step() or unscale_() since the last update; call step first"
            )
        else:
            self._grow_or_shrink()
        recorder = current_recorder()
        if recorder is None:
            self._states.clear()
        else:
            recorder.act(None, self._states.clear)
        self._met.clear()

    @no_grad()
    def _grow_or_shrink(self) -> None:
        infinite = stack(self._met).any()
        count = self._growth_tracker + 1
        grows = count == self._growth_interval
        scale = where(grows, self._scale * self._growth_factor, self._scale)
        self._scale.copy_(where(infinite, self._scale * self._backoff_factor, scale))
        self._growth_tracker.copy_(where(infinite | grows, 0, count))

    def get_scale(self) -> float:
        """Return the scale; 1.0 if the scaler is disabled."""
        return float(self._scale) if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of finite steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of finite steps after which the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Return whether the scaler is enabled."""
        return self._enabled

    def state_dict(self) -> dict[str, AnyValue]:
        """Return the scale and its growth settings under PyTorch's names; empty if the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": float(self._scale),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": int(self._growth_tracker),
        }

    def load_state_dict(self, state_dict: dict[str, AnyValue]) -> None:
        """Restore a result of `state_dict`. RuntimeError if it is empty: its scaler was disabled."""
        if not self._enabled:
            return
        if not state_dict:
            raise OperationError("GradScaler.load_state_dict: the state is empty; it is of a scaler with enabled=False")
        self._scale.fill_(float(state_dict["scale"]))
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self) -> dict[str, AnyValue]:
        if self._states:
            raise OperationError("GradScaler: it is between step() and update(); call update(), then pickle it")
        return {name: value for name, value in vars(self).items() if name != "_infinite"}

    def __setstate__(self, state: dict[str, AnyValue]) -> None:
        vars(self).update(state, _infinite=WeakKeyDictionary())


publish(__name__)
