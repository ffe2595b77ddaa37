"""`Optimizer`: parameter groups, state and state dicts, and hooks around steps."""

from __future__ import annotations

from collections import defaultdict
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_tensor import Tensor
from facula_tensor.extend.modules import Hooks
from facula_tensor.extend.overriding import disable_overrides
from facula_tensor.extend.parts import has_parts, like_part, like_whole
from facula_tensor.extend.recording import collecting, current_recorder
from facula_tensor.extend.tensors import overlapping, zero_grad_

from ._groups import check_group, organized
from ._observer import current_observer
from ._state import loaded_groups, loaded_state
from ._types import Group, StateDict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Concatenate, ParamSpec, Self, TypeVar

    from facula_tensor.extend.modules import Handle

    from ._types import Hook, Params, StateHook

    P = ParamSpec("P")
    T = TypeVar("T")


@boundary
class Optimizer:
    """Base class of optimizers, which update parameters by their `.grad`.

    `params` are leaf tensors, pairs (name, tensor), or dicts with "params" and the options of a group; `defaults` are
    the options that groups do not set. A subclass defines `step(closure=None)`. Its options are stored in
    `param_groups`, its state for each parameter in `state`, a dict that is initially empty.

    TypeError and ValueError name the parameter, or the option and its value, before anything is modified.

    >>> from facula_tensor import no_grad, ones
    >>> class Descent(Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...
    ...     @no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad
    >>> x = ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> Descent([x], lr=0.25).step()
    >>> x
    tensor([0.5000, 0.5000], requires_grad=True)
    """

    state: defaultdict[Any, StateDict]
    param_groups: list[Group]
    _pre_hooks: Hooks
    _post_hooks: Hooks
    _state_pre_hooks: Hooks
    _state_post_hooks: Hooks
    _load_pre_hooks: Hooks
    _load_post_hooks: Hooks
    _step_count: int
    _inside: bool

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        """Create an optimizer whose hooks and steps work even if its class does not call `Optimizer.__init__`."""
        new = super().__new__(cls)
        new._pre_hooks, new._post_hooks = Hooks(), Hooks()
        new._state_pre_hooks, new._state_post_hooks = Hooks(), Hooks()
        new._load_pre_hooks, new._load_post_hooks = Hooks(), Hooks()
        new._step_count, new._inside = 0, False  # steps so far; whether a step with hooks is in progress
        return new

    def __init__(self, params: Params, defaults: Group):
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        self._check_options(defaults)
        for group in organized(type(self).__name__, params):
            self.add_param_group(group)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if "step" in vars(cls):
            cls.step = _wrap_step(vars(cls)["step"])  # type: ignore[method-assign, assignment]

    # ------------------------------------------------------------------------------------------- groups
    def add_param_group(self, param_group: Group) -> None:
        """Add a group: a dict with "params" and options that differ from the defaults.

        For example for layers that are unfrozen during training. Errors are those of the constructor; the groups are
        then unchanged.
        """
        name = type(self).__name__
        group = check_group(name, param_group)
        for option, value in self.defaults.items():
            group.setdefault(option, value)
        self._check_options(group)
        self._check_parameters(group["params"])
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for number, p in enumerate(group["params"]):
            if id(p) in known:
                raise InvalidValueError(
                    f"{name}: parameter {number} of the group is in the optimizer already; pass each parameter once"
                )
            known.add(id(p))
        if self.param_groups and ("param_names" in group) != ("param_names" in self.param_groups[0]):
            raise InvalidValueError(f"{name}: expected all parameters with names or none; name those of every group")
        everything = [p for other in (*self.param_groups, group) for p in other["params"]]
        shared = overlapping(everything)
        if shared is not None:
            raise InvalidValueError(
                f"{name}: parameters {shared[0]} and {shared[1]} share memory, and each would be modified by the "
                "other's gradient; pass one of them, or the tensor that both are views of"
            )
        self.param_groups.append(group)

    def _check_options(self, options: Any) -> None:
        """Raise ValueError or TypeError for an invalid option; subclasses override it."""

    def _check_parameters(self, parameters: list[Tensor]) -> None:
        """Raise an error for parameters that the optimizer cannot update."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset all gradients to None, or with `set_to_none=False` to zeros."""
        recorder = current_recorder() if collecting else None
        if recorder is not None:
            recorder.reads_groups(self)
        observer = current_observer[0]
        if observer is not None:
            observer.begin(self, "zero_grad")
        try:
            if set_to_none:
                for group in self.param_groups:
                    for p in group["params"]:
                        p.grad = None
                return
            for group in self.param_groups:
                for p in group["params"]:
                    zero_grad_(p)
        except FaculaError as error:
            trim_traceback(error)
            raise
        finally:
            if observer is not None:
                observer.end(self, "zero_grad")

    # --------------------------------------------------------------------------------------------- steps
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once by their gradients; return the loss that `closure` computes."""
        raise UnsupportedError(f"{type(self).__name__}.step: the class has no rule of update; define step in it")

    def register_step_pre_hook(self, hook: Hook) -> Handle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new (args, kwargs).

        `args` begins with the optimizer. `remove()` of the returned handle removes the hook.
        """
        return self._pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Hook) -> Handle:
        """Call `hook(optimizer, args, kwargs)` after each step; the handle's `remove()` removes it."""
        return self._post_hooks.add(hook)

    # --------------------------------------------------------------------------------------------- state
    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call `hook(optimizer)` before each `state_dict()`, before all others if `prepend`; `remove()` removes it."""
        return _add_hook(self._state_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: StateHook, prepend: bool = False) -> Handle:
        """Call `hook(optimizer, state_dict)` after each `state_dict()`; it may return another dict."""
        return _add_hook(self._state_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: StateHook, prepend: bool = False) -> Handle:
        """Call `hook(optimizer, state_dict)` with a shallow copy before loading; it may return another dict."""
        return _add_hook(self._load_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call `hook(optimizer)` after each `load_state_dict`."""
        return _add_hook(self._load_post_hooks, hook, prepend)

    def state_dict(self) -> StateDict:
        """Return groups and state in PyTorch's format: parameters are replaced by indices, counted through all groups.

        The tensors in the dict are the optimizer's own, not copies.

        >>> from facula_optim import SGD
        >>> from facula_tensor import ones
        >>> SGD([ones(2)], lr=0.1).state_dict()["param_groups"][0]["params"]
        [0]
        """
        self._notify_recorder()
        for hook in list(self._state_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        for group in self.param_groups:
            for p in group["params"]:
                numbers[id(p)] = len(numbers)
        groups = [
            {**{option: value for option, value in group.items() if option != "params"},
             "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]  # fmt: skip
        state = {numbers.get(id(p), p): values for p, values in self.state.items()}
        result: StateDict = {"state": state, "param_groups": groups}
        return _apply_state_dict_hooks(self._state_post_hooks, self, result)

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load the groups' options and copies of the state from a dict in the format of `state_dict`.

        The state is converted to its parameter's dtype and device. Parameters are matched by position, or by name if
        both sides have the same names in different orders. ValueError or TypeError if groups or shapes do not match;
        the optimizer is then unchanged.
        """
        name = f"{type(self).__name__}.load_state_dict"
        if self._load_pre_hooks:
            state_dict = _apply_state_dict_hooks(self._load_pre_hooks, self, dict(state_dict))
        groups, matched = loaded_groups(name, self.param_groups, state_dict)
        for group in groups:
            self._check_options(group)
        state = loaded_state(name, matched, state_dict["state"], self._load_entries)
        self.param_groups, self.state = groups, state
        for hook in list(self._load_post_hooks.values()):
            hook(self)

    def _load_entries(self, parameter: Tensor, entries: StateDict) -> StateDict:
        """Return the saved state for this parameter: copies of tensors, on its device and with its dtype."""
        floating = parameter.is_floating_point() or parameter.is_complex()
        loaded = {}
        for key, value in entries.items():
            if isinstance(value, Tensor):
                former, dtype = value, parameter.dtype if floating else value.dtype
                value = value.detach()
                if type(former) is Tensor and value.dtype is dtype and value.device is parameter.device:
                    value = value.clone()
                else:
                    with disable_overrides():
                        value = value.to(parameter.device, dtype, copy=True)
                if has_parts(former):
                    value = like_part(former, value)
                if has_parts(parameter) and value.shape == parameter.shape:
                    value = like_whole(parameter, value)
            loaded[key] = value
        return loaded

    def __getstate__(self) -> StateDict:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: StateDict) -> None:
        vars(self).update(state)

    def _notify_recorder(self) -> None:
        """Notify this thread's recorder, if any, that all options are about to be read."""
        recorder = current_recorder() if collecting else None
        if recorder is not None:
            recorder.reads_whole(self)

    def __repr__(self) -> str:
        self._notify_recorder()
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [f"Parameter Group {number}"] if not number else ["", f"Parameter Group {number}"]
            lines += [f"    {option}: {group[option]}" for option in sorted(group) if option != "params"]
        return "\n".join(lines) + "\n)"


def _add_hook(hooks: Hooks, hook: Hook, prepend: bool) -> Handle:
    """Add `hook` to the end of a table, or to its start.

    Arguments:
        hooks: the hook table.
        hook: the function to add.
        prepend: add it to the start.
    """
    handle = hooks.add(hook)
    for key in list(hooks)[:-1] if prepend else ():
        hooks[key] = hooks.pop(key)
    return handle


def _apply_state_dict_hooks(hooks: Hooks, optimizer: Optimizer, state_dict: StateDict) -> StateDict:
    """Return the state dict after all hooks, called in order; a hook that returns None keeps it.

    Arguments:
        hooks: the hook table.
        optimizer: the first argument of the hooks.
        state_dict: the second argument of the first hook.
    """
    for hook in list(hooks.values()):
        changed = hook(optimizer, state_dict)
        state_dict = state_dict if changed is None else changed
    return state_dict


def _wrap_step(step: Callable[Concatenate[Optimizer, P], T]) -> Callable[Concatenate[Optimizer, P], T]:
    """Wrap a class's `step` to count steps and call hooks."""

    @wraps(step)
    def watched(self: Optimizer, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            recorder = current_recorder() if collecting else None
            if recorder is not None:
                recorder.optimizes(self)
            if (self._pre_hooks or self._post_hooks or current_observer[0] is not None) and not self._inside:
                result = _with_hooks(step, self, args, kwargs)
            else:
                result = step(self, *args, **kwargs)
            if recorder is not None:
                recorder.act(None, partial(_count, self))
            else:
                self._step_count += 1
            return result
        except FaculaError as error:
            trim_traceback(error)
            raise

    return watched


def _count(optimizer: Optimizer) -> None:
    optimizer._step_count += 1
    observer = current_observer[0]
    if observer is not None and current_recorder() is None:  # not the run that is recorded, but a replay
        observer.replayed(optimizer)


def _with_hooks(
    step: Callable[..., T], optimizer: Optimizer, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> T:
    """Run a step between its pre-hooks and post-hooks, and all three between the observer's `begin` and `end`.

    Arguments:
        step: the function of the class, not yet bound.
        optimizer: the optimizer whose hooks are called.
        args: the step's positional arguments, without the optimizer.
        kwargs: its keyword arguments; pre-hooks may replace both.
    """
    observer = current_observer[0]
    if observer is not None:
        observer.begin(optimizer, "step")
    try:
        args = (optimizer, *args)
        for hook in list(optimizer._pre_hooks.values()):
            changed = hook(optimizer, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise OperationError(
                        f"{type(optimizer).__name__}.step: expected a pre-hook to return None or a pair (args, "
                        f"kwargs); got {changed!r}"
                    )
                args, kwargs = changed
        optimizer._inside = True  # counts a step that calls its base class's step once
        try:
            result = step(*args, **kwargs)
        finally:
            optimizer._inside = False
        for hook in list(optimizer._post_hooks.values()):
            hook(optimizer, args, kwargs)
        return result
    finally:
        if observer is not None:
            observer.end(optimizer, "step")
