"""The level of one `vmap`: tensors that represent a batch.

Note [Batches]
~~~~~~~~~~~~~~
A batched tensor shows the shape of one element of the batch; its contents have the batch dimension in front. An
operator on batched tensors is one call on their contents, which `batching.py` determines. Views work the same
way, through the view of one element's window. Views and in-place changes share memory because their contents
do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from facula_errors import OperationError, UnsupportedError
from facula_errors.extend import guarded
from facula_storage import layout_of

from .._core.errors import named
from .._core.tensor import Tensor, layout_of_tensor, snapshot
from .._core.view_family import register
from .._core.wrapped import Level, LevelLayout
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .batched_call import BatchedCall
from .batching import run_batched
from .custom_batch import apply_at_batch
from .levels import copy_contents, is_at, wrap_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from facula_storage import Layout

    from .._core.types import Operands, Parameters, Result
    from .._dispatch.namespaces import Namespace
    from .._dispatch.operator import Operator


class BatchLayout(LevelLayout):
    """The layout slot of a batch of tensors, which `value` has along its first dimension."""

    __slots__ = ("value",)

    def __init__(self, level: BatchLevel, value: Tensor):
        whole = layout_of_tensor(value)
        self.level, self.value = level, value
        self.real = layout_of(whole.shape[1:], whole.strides[1:], whole.dtype, whole.device)

    def constant(self) -> Tensor:
        """Return the same elements, detached."""
        return self.level.make(snapshot(self.value))

    def readable(self, operation: str) -> NoReturn:
        """Raise, because a batch has one element for each of its entries."""
        raise named(
            UnsupportedError(
                f"{operation}: expected a tensor that is not batched; got one inside vmap, which stands for many, and "
                "cannot be read, be branched on, or say how large a result is. Use where() in place of a branch, or "
                "do this outside of vmap"
            )
        )

    def elements(self) -> Tensor:
        """The whole batch."""
        return self.value

    def example(self) -> Tensor:
        """The first element of the batch."""
        return no_record_ops.select(self.value, 0, 0)


class BatchLevel(Level):
    """One call of `vmap` over `size` elements; `randomness` controls random operators.

    A `Function.vmap` receives the batch in dimension `rule_dim`, which is the first unless a test sets another one.
    """

    __slots__ = ("randomness", "rule_dim", "size")
    differentiates = False

    def __init__(self, size: int, randomness: str):
        super().__init__()
        self.size, self.randomness, self.rule_dim = size, randomness, 0

    def make(self, value: Tensor) -> Tensor:
        """Wrap a tensor with the batch along its first dimension."""
        return wrap_content(BatchLayout(self, value), value)

    constant = make

    def value(self, operand: Any) -> Any:
        """Return the contents of a batched tensor of this level; others unchanged."""
        return operand._layout.value if is_at(self, operand) else operand

    def constant_of(self, value: Tensor) -> Tensor:
        """Wrap a result as a batch."""
        return self.make(value)

    def like(self, tensor: Tensor) -> Tensor:
        """Return a batch of copies of a tensor that do not share memory."""
        copies = recorded_ops.expand(recorded_ops.unsqueeze(tensor, 0), (self.size, *tensor.shape))
        return self.make(recorded_ops.clone(recorded_ops.contiguous(copies)))

    def call(self, op: Operator, operands: Operands, parameters: Parameters, record: bool) -> Result:
        """Call the operator on the whole batch."""
        self._check_open(op.name)
        return run_batched(BatchedCall(self, op, operands, parameters, record))

    def view(self, call: Callable[..., Any], rules: Any, input: Tensor, parameters: tuple[object, ...]) -> Any:
        """Take views of the whole batch."""
        self._check_open(call.__name__)
        found = call.find(layout_of_tensor(input), *parameters)  # type: ignore[attr-defined]
        if found is None:
            return None
        F = no_record_ops if rules is None else recorded_ops
        windows = found if type(found) is list else [found]
        views = [self._view(F, input, *window) for window in windows]
        return tuple(views) if type(found) is list else views[0]

    def _view(
        self, F: Namespace, input: Tensor, shown: Layout, delta: int, rule: Any, parameters: Parameters
    ) -> Tensor:
        """Take the view that the rule's operator, with these parameters, takes of one element."""
        whole, name, ndim = self.value(input), rule.name, len(layout_of_tensor(input).shape)
        view = VIEWS.get(name)
        if view is not None:
            seen = view(F, whole, shown, ndim, *parameters)
        else:  # as where everything is
            step, size = layout_of_tensor(whole).strides[0], shown.dtype.itemsize
            seen = F.as_strided(whole, (self.size, *shown.shape), (step, *shown.strides), delta // size)
        new = self.make(seen)
        new._viewed = input
        register(new, input)
        return new

    def copy(self, operation: str, target: Tensor, source: Tensor) -> Tensor:
        """Copy a batch, or one tensor for all elements, into a batch."""
        self._check_open(operation)
        if not is_at(self, target):
            raise OperationError(
                f"{operation}: expected a batched tensor to change inside vmap, since what goes into it is batched; "
                "got one that is not. Use the form that makes a new tensor, or make this one batched: "
                "x.new_zeros(...) and zeros_like(x) of a batched x are"
            )
        value, given = self.value(target), self.value(source)
        if isinstance(given, Tensor) and given is not source:
            missing = layout_of_tensor(value).ndim - layout_of_tensor(given).ndim
            if missing > 0:
                shape = layout_of_tensor(given).shape
                given = recorded_ops.reshape(given, (shape[0], *(1,) * missing, *shape[1:]))
        copy_contents(operation, value, given)
        return target

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a user's Function by its `vmap` or its other methods."""
        self._check_open(function.__name__)
        return apply_at_batch(self, function, args, kwargs)

    @guarded
    def reopened(self) -> Iterator[None]:
        """Context manager that re-enters the level, possibly after it has ended, for the backward of a Function."""
        former, self.open = self.open, True
        try:
            yield
        finally:
            self.open = former

    def _check_open(self, operation: str) -> None:
        if not self.open:
            raise OperationError(
                f"{operation}: expected no tensor of a vmap that has ended; got one. Return it from the function "
                "instead of storing it"
            )


def _as(F: Namespace, whole: Tensor, shown: Layout, ndim: int, *parameters: Any) -> Tensor:
    return F.reshape(whole, (whole.shape[0], *shown.shape))


def _expanded(F: Namespace, whole: Tensor, shown: Layout, ndim: int, *parameters: Any) -> Tensor:
    shape = whole.shape
    if ndim < shown.ndim:
        whole = F.reshape(whole, (shape[0], *(1,) * (shown.ndim - ndim), *shape[1:]))
    return F.expand(whole, (shape[0], *shown.shape))


def _reversed(F: Namespace, whole: Tensor, shown: Layout, ndim: int, *parameters: Any) -> Tensor:
    return F.permute(whole, (0, *range(ndim, 0, -1)))


def _view_along(name: str, first: int, last: int) -> Callable[..., Tensor]:
    """Return the batch rule of a view whose parameters from `first` up to `last` are dimensions."""

    def view(F: Namespace, whole: Tensor, shown: Layout, ndim: int, *parameters: Any) -> Tensor:
        # of zero-dimensional elements, the dimension is that of the batch
        dims = [dim % ndim + 1 if ndim else 0 for dim in parameters[first:last]]
        return getattr(F, name)(whole, *parameters[:first], *dims, *parameters[last:])

    return view


def _same_view(name: str) -> Callable[..., Tensor]:
    return lambda F, whole, shown, ndim: getattr(F, name)(whole)


# The views of a whole batch, by the view of one element: functions of a namespace, the batch, the layout that one
# element shows, its dimensions before, and the parameters.
VIEWS: dict[str, Callable[..., Tensor]] = {
    **{name: _as for name in ("view", "squeeze", "unsqueeze")},
    **{name: _same_view(name) for name in ("real_view", "imag_view", "view_as_real", "view_as_complex")},
    **{name: _view_along(name, 0, 1) for name in ("select", "slice", "unfold_dim")},
    "transpose": _view_along("transpose", 0, 2),
    "diagonal": _view_along("diagonal", 1, 3),
    "permute": lambda F, whole, shown, ndim, dims: F.permute(whole, (0, *[dim % ndim + 1 for dim in dims])),
    "expand": _expanded,
    "t": _reversed,
    "reverse_dims": _reversed,
    "index": lambda F, whole, shown, ndim, parts: F.index(whole, (slice(None), *parts)),
}
