"""The base class of optimizers that update all parameters of a group in one launch."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, overload

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor, enable_grad, float32, float64, full, zeros, zeros_like
from facula_tensor.extend.overriding import disable_overrides
from facula_tensor.extend.parts import has_parts, like_part
from facula_tensor.extend.recording import collecting, current_recorder

from ._groups import check_number, place_of
from ._optimizer import Optimizer
from ._state import no_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from ._types import Options, StateDict, TensorState

    Loss = TypeVar("Loss")


INFINITE = float("inf")


def sign_of(group: Options) -> float:
    """Return the factor of the gradients: -1 to maximize."""
    return -1.0 if group["maximize"] else 1.0


def decays_of(group: Options) -> tuple[float, float]:
    """Return the factor of the parameter in the term added to its gradient, and the factor of the parameter itself."""
    decay = float(group["weight_decay"])
    return (0.0, 1.0 - float(group["lr"]) * decay) if group["decoupled_weight_decay"] else (decay, 1.0)


class StateError(FaculaError, ValueError, RuntimeError):
    """The optimizer's state of a parameter does not match the parameter. Also a RuntimeError."""


@boundary
class FusedOptimizer(Optimizer):
    """Base class of optimizers whose steps update parameters of float32 and float64, with any strides.

    Other dtypes are rejected by name. `foreach` and `fused` are accepted and ignored.
    """

    numbers: tuple[str, ...] = ()  # options that are numbers of at least 0
    keeps: tuple[str, ...] = ()  # keys in the state of each parameter
    scalars: tuple[str, ...] = ("step",)  # those of the keys whose values are single float32 numbers
    operands: tuple[str, ...] = ()  # the keys in the order of the operator's operands; by default "step" last
    by_element = True  # whether each element's update needs no other elements
    needs_whole = False  # whether it cannot update parameters of which each process has a part
    launch: Any  # the operator, called with the result of `_rows` and `_step_numbers`

    if TYPE_CHECKING:

        def _step_numbers(self, group: Options) -> Any: ...

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], Loss]) -> Loss: ...
    @overload
    def step(self, closure: Callable[[], Loss] | None = None) -> Loss | None: ...
    def step(self, closure: Callable[[], object] | None = None) -> object:
        """Update each parameter that has a gradient; parameters with `.grad` None are unchanged.

        If `closure` is given, it is called first, with gradients enabled, and its result, the loss, is returned.
        ValueError for a learning rate that is negative, infinite or NaN; the parameters are then unchanged.
        """
        loss: object = None
        groups: list[Any] = self.param_groups
        if closure is not None:
            if not callable(closure):
                name = type(self).__name__
                raise InvalidTypeError(f"{name}.step: expected a function that computes the loss; got {closure!r:.60}")
            with enable_grad():
                loss = closure()
        for group in groups:  # schedules and users change rates: check all of them before the first update
            try:
                usable = 0.0 <= float(group["lr"]) < INFINITE
            except (TypeError, ValueError):
                usable = False
            if not usable:
                self._check_options(group)
        recorder = current_recorder() if collecting else None
        for group in groups:
            try:
                if has_parts(group["params"][0]) if group["params"] else False:
                    self._step_parts(group)
                elif recorder is None:
                    self._step_group(group)
                else:
                    with recorder.stepping(self, group, partial(self._step_group, group)):
                        self._step_group(group)
            except (TypeError, ValueError):
                self._check_options(group)  # the user may have changed them
                self._check_state(group["params"])
                raise
        return loss

    def _step_group(self, group: Options) -> None:
        tensors, width = self._rows(group, *(self.operands or (*self.keeps[1:], "step")))
        if tensors:
            type(self).launch(tensors, width, self._step_numbers(group))

    def _step_parts(self, group: Options) -> None:
        """Update parameters of which each process has a part; their states have the same parts."""
        if not self.by_element:
            self._step_group(group)
            return
        with disable_overrides():
            self._step_group(group)
        for p in group["params"]:
            kept = self.state.get(p, {})
            for key, value in kept.items():
                if key not in self.scalars and type(value) is Tensor:
                    kept[key] = like_part(p, value)

    def _rows(self, group: Options, *keys: str) -> tuple[list[Tensor], int]:
        """Return a flat list of parameters with gradients, their gradients and states, and its length per parameter.

        The states are the entries under `keys`; missing state is created.
        """
        state: TensorState = self.state
        take: Callable[[dict[str, Tensor]], tuple[Tensor, ...]]
        take = itemgetter(*keys) if len(keys) > 1 else lambda kept: (kept[keys[0]],)
        tensors: list[Tensor] = []
        for p in group["params"]:
            g = p.grad
            if g is not None:
                kept = state[p]
                try:
                    tensors += (p, g, *take(kept))
                except KeyError:
                    self._initialize_state(kept, p, group, keys)
                    tensors += (p, g, *take(kept))
        return tensors, 2 + len(keys)

    def _initialize_state(self, kept: dict[str, Tensor], p: Tensor, group: Options, keys: tuple[str, ...]) -> None:
        """Add the missing entries of `keys` to the state, with their values before the first step; all of them or none.

        Arguments:
            kept: the parameter's state, which is modified.
            p: the parameter.
            group: its group.
            keys: the names of the entries.
        """
        self._refuse_capture(p)
        values = self._first_values(group)
        fresh: dict[str, Tensor] = {}
        for key in (keys[-1], *keys[:-1]):
            if key not in kept:
                value = values.get(key, 0.0)
                if key in self.scalars:
                    fresh[key] = full((), value, dtype=float32, device=p.device)
                else:
                    fresh[key] = self._zeros_for(p, key)
                    if value:
                        fresh[key].fill_(value)
        kept.update(fresh)

    def _first_values(self, group: Options) -> dict[str, float]:
        """Return the state entries with initial values other than 0."""
        return {}

    def _check_state(self, parameters: list[Tensor]) -> None:
        """Raise StateError if a parameter and its state differ in dtype or device."""
        for number, p in enumerate(parameters):
            for key, value in self.state.get(p, {}).items():
                if key in self.scalars or not isinstance(value, Tensor):
                    continue
                if value.dtype is not p.dtype or value.device is not p.device:
                    raise StateError(
                        f"{type(self).__name__}: parameter {number} is {p.dtype.name} on {str(p.device)!r}, and its "
                        f"{key} still {value.dtype.name} on {str(value.device)!r}: the model was converted after the "
                        "first step; optimizer.load_state_dict(optimizer.state_dict()) converts the state too"
                    )

    def _check_options(self, options: Options) -> None:
        name = type(self).__name__
        values: Mapping[str, object] = options
        for option in self.numbers:
            check_number(name, option, values[option])
        for option in ("differentiable", "capturable"):
            if values.get(option):
                raise UnsupportedError(f"{name}: {option}=True is not supported; omit it")

    def _check_parameters(self, parameters: list[Tensor]) -> None:
        for number, p in enumerate(parameters):
            if self.needs_whole and has_parts(p):
                raise UnsupportedError(
                    f"{type(self).__name__}: expected whole parameters; parameter {number} is a DTensor, with "
                    "elements on several processes; use an optimizer such as AdamW"
                )
            if p.dtype not in (float32, float64):
                raise InvalidTypeError(
                    f"{type(self).__name__}: expected parameters of float32 or float64; parameter {number} is "
                    f"{p.dtype.name}. Keep parameters in float32, and convert where the model computes"
                )

    def _load_entries(self, parameter: Tensor, entries: StateDict) -> StateDict:
        missing = [key for key in self.keeps if entries and key not in entries]
        if missing:
            raise InvalidValueError(f"expected {', '.join(self.keeps)}; it has {', '.join(map(str, entries))}")
        loaded = super()._load_entries(parameter, entries)
        for key, value in loaded.items():
            if key in self.scalars:
                loaded[key] = full((), float(value), dtype=float32, device=parameter.device)
            elif isinstance(value, Tensor) and tuple(value.shape) != self._state_shape(parameter, key):
                raise InvalidValueError(f"expected {key} of shape {tuple(parameter.shape)}; got {tuple(value.shape)}")
        return loaded

    def _state_shape(self, parameter: Tensor, key: str) -> tuple[int, ...]:
        """Return the shape of a state entry: the parameter's."""
        return tuple(parameter.shape)

    def _refuse_capture(self, parameter: Tensor) -> None:
        """Raise OperationError in a captured graph, whose replays would each start with new state."""
        if getattr(parameter.device.backend, "is_capturing", False):
            raise OperationError(
                f"{type(self).__name__}.step: expected state for parameter {place_of(parameter, self.param_groups)} "
                "before the capture of a graph; got none, and each replay would repeat the first step. Call step() "
                "once before the capture, or use facula.capture(step)"
            )

    def _zeros_for(self, parameter: Tensor, key: str) -> Tensor:
        """Return a state entry of zeros, with the parameter's dtype and device. A MemoryError names both."""
        self._refuse_capture(parameter)
        try:
            if has_parts(parameter):
                return zeros_like(parameter)
            return zeros(self._state_shape(parameter, key), dtype=parameter.dtype, device=parameter.device)
        except MemoryError as error:
            place = place_of(parameter, self.param_groups)
            no_memory(error, f"{type(self).__name__}.step", f"{key} of parameter {place}")
            raise
