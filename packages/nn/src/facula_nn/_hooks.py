"""Hooks on modules: before and after forward, on gradients, and around state dicts. A module without any pays nothing.

Note [Backward hooks]
~~~~~~~~~~~~~~~~~~~~~
The gradients at a module's boundary are those that pass two identities put there, one around the arguments and one
around the results, when a module with such hooks is called. Backward reaches the second first: it shows the gradients
of the results to the pre-hooks and keeps them in a `Crossing`, which both hold. When it reaches the first, the hooks
see both sides. Where no argument wants a gradient there is no first, and the hooks run at once with Nones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import warn
from facula_tensor import Function, Tensor, is_grad_enabled
from facula_tensor.extend import Handle, Hooks, current_recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol, TypeVar

    from ._types import Args, Gradients, Hook, Kwargs

    T = TypeVar("T")

    class Hooked(Protocol):
        """A module, as far as its hooks go."""

        _hooks: dict[str, Hooks] | None

        @property
        def forward(self) -> Callable[..., object]: ...


class ForwardHook:
    """A hook around forward, and how it wants to be called.

    Arguments:
        hook: the function.
        with_kwargs: call it with keyword arguments, too.
        always: call it where forward raised, too.
    """

    hook: Hook
    with_kwargs: bool
    always: bool

    __slots__ = ("always", "hook", "with_kwargs")

    def __init__(self, hook: Hook, with_kwargs: bool, always: bool = False) -> None:
        self.hook, self.with_kwargs, self.always = hook, with_kwargs, always

    def __call__(self, module: Hooked, args: Args, kwargs: Kwargs, *output: object) -> object:
        if self.with_kwargs:
            return self.hook(module, args, kwargs, *output)
        return self.hook(module, args, *output)


def add_hook(
    module: Hooked, operation: str, table: str, hook: Hook, prepend: bool = False, flags: tuple[bool, ...] | None = None
) -> Handle:
    """Put a hook into one of the module's tables, last or first. TypeError where it is no callable.

    Arguments:
        module: whose hook it is.
        operation: how errors begin: the method's name.
        table: the table's name.
        hook: the function.
        prepend: call it before all others of its kind.
        flags: `with_kwargs` and `always` of a `ForwardHook`; None for a plain hook.
    """
    if not callable(hook):
        raise InvalidTypeError(f"{operation}: expected a callable; got {type(hook).__name__}")
    hooks = hooks_of(module, table)
    handle = hooks.add(hook if flags is None else ForwardHook(hook, *flags))
    if prepend:
        others = list(hooks.items())[:-1]
        for key, _ in others:
            del hooks[key]
        hooks.update(others)
    return handle


def hooks_of(module: Hooked, table: str) -> Hooks:
    """One of the module's tables of hooks, made if it is not there yet."""
    if module._hooks is None:
        module._hooks = {}
    return module._hooks.setdefault(table, Hooks())


def run_hooks(module: Hooked, table: str, *arguments: object) -> None:
    """Call each hook of a table whose results mean nothing.

    Arguments:
        module: whose hooks they are.
        table: the table's name.
        *arguments: what each is called with.
    """
    if module._hooks and table in module._hooks:
        for hook in list(module._hooks[table].values()):
            hook(*arguments)


def call_recorded(module: Hooked, args: Args, kwargs: Kwargs) -> object:
    """A call of a module while work is captured in some thread: where it is this one, its recorder is told.

    Arguments:
        module: what is called.
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
    """A call of a module that has hooks.

    Arguments:
        module: what is called.
        args: the positional arguments.
        kwargs: the keyword arguments.

    Returns:
        The result of forward, or what a hook made of it.
    """
    tables = module._hooks or {}
    called = set()
    try:
        for before in list(tables.get("forward_pre", {}).values()):
            args, kwargs = _changed(before, args, kwargs, before(module, args, kwargs))
        crossing = None
        if tables.get("backward") or tables.get("backward_pre"):
            crossing = Crossing(module)
            args = crossing.enter(args)
        result = module.forward(*args, **kwargs)
        for key, after in list(tables.get("forward", {}).items()):
            called.add(key)
            new = after(module, args, kwargs, result)
            if new is not None:
                result = new
        return result if crossing is None else crossing.leave(result)
    except Exception:
        for key, after in list(tables.get("forward", {}).items()):
            if after.always and key not in called:
                _call_anyway(after, (module, args, kwargs, None))
        raise


def _changed(hook: ForwardHook, args: Args, kwargs: Kwargs, new: object) -> tuple[Args, Kwargs]:
    """The arguments after a forward pre-hook returned `new`.

    Arguments:
        hook: the hook.
        args: the positional arguments so far.
        kwargs: the keyword arguments so far.
        new: what it returned.
    """
    if new is None:
        return args, kwargs
    if not hook.with_kwargs:
        return new if isinstance(new, tuple) else (new,), kwargs
    if isinstance(new, tuple) and len(new) == 2 and isinstance(new[0], tuple) and isinstance(new[1], dict):
        return new
    raise OperationError(
        f"register_forward_pre_hook: expected a hook with kwargs to return None or (args, kwargs); it returned {new!r}"
    )


def _call_anyway(hook: Hook, arguments: Args) -> None:
    """Call a hook while an exception propagates; an exception of its own becomes a warning."""
    try:
        hook(*arguments)
    except Exception as error:
        warn(f"a forward hook raised {error!r} while another exception was on its way")


# ---------------------------------------------------------------------------------------------------- gradients
class Crossing:
    """One call of a module with backward hooks: what its two identities share. See Note [Backward hooks]."""

    module: Hooked
    entered: bool
    grad_output: Gradients
    width: int

    __slots__ = ("entered", "grad_output", "module", "places", "width")

    def __init__(self, module: Hooked) -> None:
        self.module, self.entered, self.grad_output = module, False, ()
        self.places: list[int] = []  # of the arguments that want gradients
        self.width = 0

    def enter(self, args: Args) -> Args:
        """The arguments, such that their gradients pass here."""
        self.width = len(args)
        self.places = _wanting(args)
        if not self.places or not is_grad_enabled():
            return args
        self.entered = True
        return _put(args, self.places, _Entrance.apply(self, *[args[k] for k in self.places]))

    def leave(self, result: object) -> object:
        """The results, such that their gradients pass here."""
        outputs = result if isinstance(result, (tuple, list)) else (result,)
        places = _wanting(outputs)
        if not places or not is_grad_enabled():
            return result
        passed = _put(outputs, places, _Exit.apply(self, places, len(outputs), *[outputs[k] for k in places]))
        if outputs is not result:
            return passed[0]
        return type(result)(*passed) if hasattr(result, "_fields") else type(result)(passed)

    def arrive(self, grad_output: Gradients) -> Gradients:
        """Backward reached the results: their gradients after the pre-hooks."""
        for hook in list(self._table("backward_pre")):
            new = hook(self.module, grad_output)
            if new is not None:
                grad_output = _replaced("register_full_backward_pre_hook", new, grad_output)
        self.grad_output = grad_output
        if not self.entered:
            self.finish((None,) * self.width)
        return grad_output

    def finish(self, grad_input: Gradients) -> Gradients:
        """Backward reached the arguments: their gradients after the hooks."""
        grad_output, self.grad_output = self.grad_output, ()
        for hook in list(self._table("backward")):
            new = hook(self.module, grad_input, grad_output)
            if new is not None:
                if not self.entered:
                    raise OperationError(
                        "register_full_backward_hook: expected the hook to return None where no argument of the module "
                        f"({type(self.module).__name__}) wants a gradient; got {type(new).__name__}"
                    )
                grad_input = _replaced("register_full_backward_hook", new, grad_input)
        return grad_input

    def _table(self, name: str) -> Iterable[Hook]:
        return (self.module._hooks or {}).get(name, {}).values()


if TYPE_CHECKING:

    class Shared(Protocol):
        """What the two functions keep for their way back."""

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
        grad_input = crossing.finish(_put((None,) * crossing.width, crossing.places, grads))
        return None, *[grad_input[k] for k in crossing.places]


class _Exit(Function):
    @staticmethod
    def forward(ctx: Shared, crossing: Crossing, places: list[int], width: int, *tensors: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        ctx.crossing, ctx.places, ctx.width = crossing, places, width
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: Shared, *grads: Tensor | None) -> Args:
        grad_output = ctx.crossing.arrive(_put((None,) * ctx.width, ctx.places, grads))
        return None, None, None, *[grad_output[k] for k in ctx.places]


def _wanting(values: Sequence[object]) -> list[int]:
    """The places of the tensors that want a gradient."""
    return [k for k, value in enumerate(values) if isinstance(value, Tensor) and value.requires_grad]


def _put(values: Sequence[T], places: list[int], new: Iterable[T]) -> tuple[T, ...]:
    """`values` with others at some places.

    Arguments:
        values: the former values.
        places: where the others go.
        new: the others.
    """
    replaced = list(values)
    for k, value in zip(places, new, strict=True):
        replaced[k] = value
    return tuple(replaced)


def _replaced(operation: str, new: Gradients | Tensor, former: Gradients) -> Gradients:
    """The result of a hook as a tuple, of the length that the hook was shown.

    Arguments:
        operation: how errors begin.
        new: what the hook returned.
        former: what it was shown.
    """
    new = new if isinstance(new, tuple) else (new,)
    if len(new) != len(former):
        raise OperationError(
            f"{operation}: expected the hook to return None or {len(former)} gradients; got {len(new)}"
        )
    return new
