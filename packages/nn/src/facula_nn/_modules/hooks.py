"""Hooks on modules: around forward, on gradients, and around state dicts. Modules without hooks have no overhead.

Note [Backward hooks]
~~~~~~~~~~~~~~~~~~~~~
A call of a module with backward hooks inserts two identity functions into the graph: one around the arguments, one
around the results. The gradients at the module's boundary are the gradients of these two functions. Backward reaches
the function at the results first: it passes the gradients of the results to the pre-hooks and saves them in a
`Crossing`, which both functions share. When backward reaches the function at the arguments, the hooks receive both
sides. If no argument requires a gradient, the second function does not exist, and the hooks run at once with Nones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import warn
from facula_tensor import Function, Tensor, is_grad_enabled
from facula_tensor.extend.modules import Handle, Hooks
from facula_tensor.extend.recording import current_recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol, TypeVar

    from .._types import Args, Gradients, Hook, Kwargs

    T = TypeVar("T")

    class Hooked(Protocol):
        """The attributes of a module that its hooks need."""

        _hooks: dict[str, Hooks] | None

        @property
        def forward(self) -> Callable[..., object]: ...


class ForwardHooks(Hooks):
    """Hooks around forward, by key. The values are the user's functions; two sets store the calling options by key.

    `with_kwargs` contains the keys of hooks that also receive keyword arguments, `always_called` the keys of hooks that
    also run if forward raised.
    """

    with_kwargs: dict[int, bool]
    always_called: dict[int, bool]

    __slots__ = ("always_called", "with_kwargs")

    def __init__(self) -> None:
        super().__init__()
        self.with_kwargs, self.always_called = {}, {}

    def call(self, key: int, module: Hooked, args: Args, kwargs: Kwargs, *output: object) -> object:
        """Call the hook with this key.

        Arguments:
            key: the hook's key.
            module: the module being called.
            args: the positional arguments.
            kwargs: the keyword arguments.
            *output: the result of forward, for hooks that run after it.
        """
        if key in self.with_kwargs:
            return self[key](module, args, kwargs, *output)
        return self[key](module, args, *output)


class LoadHooks(Hooks):
    """Hooks that run before a state dict is loaded."""

    __slots__ = ()


_CLASSES = {"forward": ForwardHooks, "forward_pre": ForwardHooks, "load_pre": LoadHooks}


class HookTable:
    """A descriptor for one table of a module's hooks, which can be read, changed and assigned as in PyTorch.

    Arguments:
        table: the table's name.
        part: the attribute of the table to expose instead of the table itself, or "".
    """

    __slots__ = ("part", "table")

    def __init__(self, table: str, part: str = "") -> None:
        self.table, self.part = table, part

    def __get__(self, module: Hooked | None, owner: type) -> dict[int, Any]:
        if module is None:
            return self  # type: ignore[return-value]
        hooks = hooks_of(module, self.table)
        return getattr(hooks, self.part) if self.part else hooks

    def __set__(self, module: Hooked, others: Mapping[int, Any]) -> None:
        given, hooks = dict(others), self.__get__(module, type(module))
        hooks.clear()
        hooks.update(given)


class WithoutModule:
    """Wrapper of a hook that drops the first argument, the module."""

    __slots__ = ("hook",)

    def __init__(self, hook: Hook) -> None:
        self.hook = hook

    def __call__(self, module: Hooked, *arguments: object) -> object:
        return self.hook(*arguments)


def add_hook(
    module: Hooked, operation: str, table: str, hook: Hook, prepend: bool = False, flags: tuple[str, ...] = ()
) -> Handle:
    """Add a hook to one of the module's tables, last or first. TypeError if it is not callable.

    Arguments:
        module: the module that the hook belongs to.
        operation: the method's name, with which errors begin.
        table: the table's name.
        hook: the function.
        prepend: call it before all other hooks of the table.
        flags: the calling options: names of attributes of `ForwardHooks`.
    """
    if not callable(hook):
        raise InvalidTypeError(f"{operation}: expected a callable; got {type(hook).__name__}")
    hooks = hooks_of(module, table)
    handle = hooks.add(hook)
    for flag in flags:
        getattr(hooks, flag)[next(reversed(hooks))] = True
    if prepend:
        others = list(hooks.items())[:-1]
        for key, _ in others:
            del hooks[key]
        hooks.update(others)
    return handle


def hooks_of(module: Hooked, table: str) -> Hooks:
    """Return one of the module's hook tables, creating it if necessary."""
    if module._hooks is None:
        module._hooks = {}
    if table not in module._hooks:
        module._hooks[table] = _CLASSES.get(table, Hooks)()
    return module._hooks[table]


def copied(table: str, hooks: Hooks) -> Hooks:
    """Return a copy of a table, with the same hooks."""
    new = _CLASSES.get(table, Hooks)()
    new.update(hooks)
    if isinstance(new, ForwardHooks) and isinstance(hooks, ForwardHooks):
        new.with_kwargs.update(hooks.with_kwargs)
        new.always_called.update(hooks.always_called)
    elif isinstance(new, ForwardHooks):
        from .older_hooks import convert

        convert(new)
    return new


def run_hooks(module: Hooked, table: str, *arguments: object) -> None:
    """Call each hook of a table, ignoring the results.

    Arguments:
        module: the module that the hooks belong to.
        table: the table's name.
        *arguments: the arguments of each call.
    """
    if module._hooks and table in module._hooks:
        for hook in list(module._hooks[table].values()):
            hook(*arguments)


def call_recorded(module: Hooked, args: Args, kwargs: Kwargs) -> object:
    """Call a module while some thread captures work; if it is this thread, notify the recorder of the call.

    Arguments:
        module: the module to call.
        args: the positional arguments.
        kwargs: the keyword arguments.
    """
    recorder = current_recorder()
    if recorder is None:
        return module.forward(*args, **kwargs) if module._hooks is None else call_hooked(module, args, kwargs)
    recorder.entered(module)
    try:
        return module.forward(*args, **kwargs) if module._hooks is None else call_hooked(module, args, kwargs)
    finally:
        recorder.left()


def call_hooked(module: Hooked, args: Args, kwargs: Kwargs) -> object:
    """Call a module that has hooks.

    Arguments:
        module: the module to call.
        args: the positional arguments.
        kwargs: the keyword arguments.

    Returns:
        The result of forward, or its replacement by a hook.
    """
    tables: dict[str, Any] = module._hooks or {}
    called = set()
    before: Any = tables.get("forward_pre") or ()
    after: Any
    try:
        for key in list(before):
            with_kwargs = key in before.with_kwargs
            args, kwargs = _changed(with_kwargs, args, kwargs, before.call(key, module, args, kwargs))
        crossing = None
        if tables.get("backward") or tables.get("backward_pre"):
            crossing = Crossing(module)
            args = crossing.enter(args)
        result = module.forward(*args, **kwargs)
        after = tables.get("forward") or ()  # read here: forward may have added hooks
        for key in list(after):
            called.add(key)
            new = after.call(key, module, args, kwargs, result)
            if new is not None:
                result = new
        return result if crossing is None else crossing.leave(result)
    except Exception:
        after = tables.get("forward") or ()
        for key in list(after):
            if key in after.always_called and key not in called:
                _call_safely(after, key, (module, args, kwargs, None))
        raise


def _changed(with_kwargs: bool, args: Args, kwargs: Kwargs, new: object) -> tuple[Args, Kwargs]:
    """Return the arguments after a forward pre-hook returned `new`.

    Arguments:
        with_kwargs: whether the hook was called with keyword arguments.
        args: the positional arguments so far.
        kwargs: the keyword arguments so far.
        new: the value that the hook returned.
    """
    if new is None:
        return args, kwargs
    if not with_kwargs:
        return new if isinstance(new, tuple) else (new,), kwargs
    if isinstance(new, tuple) and len(new) == 2 and isinstance(new[0], tuple) and isinstance(new[1], dict):
        return new
    raise OperationError(
        f"register_forward_pre_hook: expected a hook with kwargs to return None or (args, kwargs); it returned {new!r}"
    )


def _call_safely(hooks: ForwardHooks, key: int, arguments: Args) -> None:
    """Call a hook while an exception propagates; an exception raised by the hook becomes a warning."""
    try:
        hooks.call(key, *arguments)
    except Exception as error:
        warn(f"a forward hook raised {error!r} while another exception was propagating")


# ---------------------------------------------------------------------------------------------------- gradients
class Crossing:
    """The state of a call of a module with backward hooks, shared by its two identities. See Note [Backward hooks]."""

    entered: bool
    grad_output: Gradients
    width: int

    __slots__ = ("entered", "grad_output", "module", "places", "width")

    def __init__(self, module: Hooked) -> None:
        self.module, self.entered, self.grad_output = module, False, ()
        self.places: list[int] = []  # indices of the arguments that require gradients
        self.width = 0

    def enter(self, args: Args) -> Args:
        """Return the arguments, routed through the identity whose backward runs the hooks."""
        self.width = len(args)
        self.places = _differentiable_indices(args)
        if not self.places or not is_grad_enabled():
            return args
        self.entered = True
        return _replace_at(args, self.places, _Entrance.apply(self, *[args[k] for k in self.places]))

    def leave(self, result: object) -> object:
        """Return the results, routed through the identity whose backward runs the pre-hooks."""
        outputs = result if isinstance(result, (tuple, list)) else (result,)
        places = _differentiable_indices(outputs)
        if not places or not is_grad_enabled():
            return result
        passed = _replace_at(outputs, places, _Exit.apply(self, places, len(outputs), *[outputs[k] for k in places]))
        if outputs is not result:
            return passed[0]
        return type(result)(*passed) if hasattr(result, "_fields") else type(result)(passed)

    def arrive(self, grad_output: Gradients) -> Gradients:
        """Return the gradients of the results after the pre-hooks; backward has reached the results."""
        for hook in list(self._table("backward_pre")):
            new = hook(self.module, grad_output)
            if new is not None:
                grad_output = _replaced("register_full_backward_pre_hook", new, grad_output)
        self.grad_output = grad_output
        if not self.entered:
            self.finish((None,) * self.width)
        return grad_output

    def finish(self, grad_input: Gradients) -> Gradients:
        """Return the gradients of the arguments after the hooks; backward has reached the arguments."""
        grad_output, self.grad_output = self.grad_output, ()
        for hook in list(self._table("backward")):
            new = hook(self.module, grad_input, grad_output)
            if new is not None:
                if not self.entered:
                    raise OperationError(
                        "register_full_backward_hook: expected the hook to return None where no argument of the module "
                        f"({type(self.module).__name__}) requires a gradient; got {type(new).__name__}"
                    )
                grad_input = _replaced("register_full_backward_hook", new, grad_input)
        return grad_input

    def _table(self, name: str) -> Iterable[Hook]:
        return (self.module._hooks or {}).get(name, {}).values()


if TYPE_CHECKING:

    class Shared(Protocol):
        """The context that the two functions save for their backward."""

        crossing: Crossing
        places: list[int]
        width: int

        def set_materialize_grads(self, value: bool) -> None: ...


class _Entrance(Function):
    @staticmethod
    def forward(ctx: Shared, crossing: Crossing, *tensors: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        ctx.crossing = crossing
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: Shared, *grads: Tensor | None) -> Args:
        crossing = ctx.crossing
        grad_input = crossing.finish(_replace_at((None,) * crossing.width, crossing.places, grads))
        return None, *[grad_input[k] for k in crossing.places]


class _Exit(Function):
    @staticmethod
    def forward(ctx: Shared, crossing: Crossing, places: list[int], width: int, *tensors: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        ctx.crossing, ctx.places, ctx.width = crossing, places, width
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: Shared, *grads: Tensor | None) -> Args:
        grad_output = ctx.crossing.arrive(_replace_at((None,) * ctx.width, ctx.places, grads))
        return None, None, None, *[grad_output[k] for k in ctx.places]


def _differentiable_indices(values: Sequence[object]) -> list[int]:
    """Return the indices of the tensors that require a gradient."""
    return [k for k, value in enumerate(values) if isinstance(value, Tensor) and value.requires_grad]


def _replace_at(values: Sequence[T], places: list[int], new: Iterable[T]) -> tuple[T, ...]:
    """Return `values` with the values at some indices replaced.

    Arguments:
        values: the original values.
        places: the indices to replace.
        new: the replacements.
    """
    replaced = list(values)
    for k, value in zip(places, new, strict=True):
        replaced[k] = value
    return tuple(replaced)


def _replaced(operation: str, new: Gradients | Tensor, former: Gradients) -> Gradients:
    """Return the result of a hook as a tuple, as long as the tuple that the hook received.

    Arguments:
        operation: the method's name, with which errors begin.
        new: the value that the hook returned.
        former: the gradients that the hook received.
    """
    new = new if isinstance(new, tuple) else (new,)
    if len(new) != len(former):
        raise OperationError(
            f"{operation}: expected the hook to return None or {len(former)} gradients; got {len(new)}"
        )
    return new
