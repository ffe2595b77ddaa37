"""Operators on lists of tensors: `_foreach_add` and the others that PyTorch's optimizers use.

Each applies the operator of its name to one tensor after another, so results, dtypes and gradients are those of the
operator. Names without an underscore at the end return a tuple, others change the tensors of the first list and return
the list. A second operand is a list of tensors, a list of numbers, a number or a tensor without dimensions.
Lists of different lengths and shapes that do not match raise errors before any change.

>>> from facula_tensor import foreach, tensor
>>> foreach._foreach_add([tensor([1.0]), tensor([2.0, 3.0])], [10.0, 20.0])
(tensor([11.]), tensor([22., 23.]))
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from facula_errors import ArgumentError, InvalidTypeError, MissingAttributeError
from facula_errors.extend import boundary

from . import linalg
from ._core.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Many: TypeAlias = Any  # a list of tensors, a list of numbers, or one of either


class ListForm(NamedTuple):
    """The signature of an operator on lists.

    Arguments:
        lists: the number of operands after the first that must be lists of tensors.
        last: whether one more operand follows, which may be a number; or its default.
        options: further arguments of the operator, by name.
        inplace: whether the name with an underscore exists; None if only that exists.
    """

    lists: int = 0
    last: float | bool = False
    options: tuple[str, ...] = ()
    inplace: bool | None = True


UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
FORMS: dict[str, ListForm] = {
    **dict.fromkeys(UNARY, ListForm()),
    **dict.fromkeys(("add", "sub"), ListForm(last=True, options=("alpha",))),
    **dict.fromkeys(("mul", "div", "pow", "maximum", "minimum", "clamp_max", "clamp_min"), ListForm(last=True)),
    **dict.fromkeys(("addcdiv", "addcmul"), ListForm(lists=2, last=1.0)),
    "lerp": ListForm(lists=1, last=True),
    "mm": ListForm(lists=1, inplace=False),
    "copy": ListForm(lists=1, options=("non_blocking",), inplace=None),
    "zero": ListForm(inplace=None),
    "clone": ListForm(options=("memory_format",), inplace=False),
    "max": ListForm(inplace=False),
    "norm": ListForm(options=("ord", "dtype"), inplace=False),
    "powsum": ListForm(options=("ord", "dtype"), inplace=False),
}
# The operators for `maximum` and `minimum` with numbers or in place.
SAME = {"maximum": "clamp_min", "minimum": "clamp_max"}
# PyTorch's names of the operands after the first.
LISTS = ("other", "tensor1", "tensors1", "mat2", "src", "tensor2")
LAST = ("other", "scalar", "scalars", "tensor", "exponent", "value", "weight", "weights")


def _norm(array: Tensor, ord: float = 2, dtype: Any = None) -> Tensor:
    return linalg.vector_norm(array, ord, dtype=dtype)


def _powsum(array: Tensor, ord: float = 2, dtype: Any = None) -> Tensor:
    return array.abs().pow(ord).sum(dtype=dtype)  # type: ignore[no-any-return]


def names() -> list[str]:
    """All operators on lists, by name."""
    plain = [f"_foreach_{name}" for name, form in FORMS.items() if form.inplace is not None]
    return sorted([*plain, *(f"_foreach_{name}_" for name, form in FORMS.items() if form.inplace is not False)])


@cache
def list_function(name: str) -> Callable[..., Any]:
    """Return the operator on lists of this name, such as "_foreach_add_"."""
    changes = name.endswith("_")
    base = name.removeprefix("_foreach_").removesuffix("_")
    form = FORMS[base]
    member = {"norm": _norm, "powsum": _powsum}.get(base)
    if member is None:
        member = getattr(Tensor, (SAME.get(base, base) if form.last is True else base) + "_" * changes)
    operate: Callable[..., Tensor] = member

    def call(*args: Any, **options: Any) -> Any:
        self, *others = args if args else (options.pop("self"),)
        given = _operands_of(name, form, others, options)
        if base == "pow" and isinstance(self, (int, float, complex)):  # the number is the base
            return tuple([self**exponent for exponent in _tensor_list(name, "exponent", given[0])])
        tensors = _tensor_list(name, "self", self)
        columns = [_tensor_list(name, "an operand", argument, len(tensors)) for argument in given[: form.lists]]
        columns += [_operand_for_each(name, argument, len(tensors)) for argument in given[form.lists :]]
        if changes:
            _check_inplace_shapes(name, tensors, columns)
        if base in ("addcdiv", "addcmul"):  # whose number has a name
            made = [operate(*row[:-1], value=row[-1]) for row in zip(tensors, *columns, strict=True)]
        else:
            made = [operate(*row, **options) for row in zip(tensors, *columns, strict=True)]
        return self if changes else tuple(made)

    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    call.__doc__ = f"`{base}` of each tensor of a list{', in place' if changes else ''}."
    return boundary(call)


def _operands_of(name: str, form: ListForm, others: list[Any], options: dict[str, Any]) -> list[Any]:
    """Return the operands after the first, some of which may be keywords; the operator's options remain in
    `options`."""
    count = form.lists + (form.last is not False)
    extra = others[count:]
    given = others[:count]
    options.update(zip(form.options, extra, strict=False))
    while len(given) < count:
        known = LAST if len(given) == form.lists else LISTS
        found = next((option for option in known if option in options), None)
        if found is not None:
            given.append(options.pop(found))
        elif len(given) == form.lists and form.last is not True:
            given.append(form.last)
        else:
            raise InvalidTypeError(f"{name}: expected {count} operands after the first; got {len(given)}")
    unknown = [*(option for option in options if option not in form.options), *map(str, extra[len(form.options) :])]
    if unknown:
        raise InvalidTypeError(f"{name}: expected {count} operands after the first; got another argument, {unknown[0]}")
    return given


def _tensor_list(name: str, argument: str, values: Any, count: int | None = None) -> Sequence[Tensor]:
    """Return a list of tensors, of length `count` if given."""
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, Tensor) for value in values):
        raise InvalidTypeError(f"{name}: expected {argument} to be a list of tensors; got {type(values).__name__}")
    if not values:
        raise ArgumentError(f"{name}: expected lists of at least one tensor; got an empty one")
    if count is not None and len(values) != count:
        raise ArgumentError(f"{name}: expected lists of one length; got {count} and {len(values)} tensors")
    return values


def _operand_for_each(name: str, value: Many, count: int) -> Sequence[Any]:
    """Return an operand for each tensor, from a list or from one value for all."""
    if isinstance(value, Tensor) and value.ndim:
        if value.ndim != 1 or not name.startswith("_foreach_addc"):
            raise ArgumentError(f"{name}: expected a tensor without dimensions; got shape {tuple(value.shape)}")
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ArgumentError(f"{name}: expected lists of one length; got {count} tensors and {len(value)} operands")
    return value


def _check_inplace_shapes(name: str, tensors: Sequence[Tensor], columns: Sequence[Sequence[Any]]) -> None:
    """Reject operands that do not broadcast to the changed tensor."""
    for place, row in enumerate(zip(tensors, *columns, strict=True)):
        target = tuple(row[0].shape)
        for other in row[1:]:
            shape = tuple(other.shape) if isinstance(other, Tensor) else ()
            fits = len(shape) <= len(target) and all(
                a in (1, b) for a, b in zip(reversed(shape), reversed(target), strict=False)
            )
            if not fits:
                raise ArgumentError(
                    f"{name}: expected shapes that broadcast to the changed tensor's; got {shape} for {target}, in "
                    f"place {place} of the lists"
                )


def __getattr__(name: str) -> Any:
    if name in names():
        return list_function(name)
    raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
