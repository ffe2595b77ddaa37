"""Arguments of operators on whole tensors: their signature, and the ones that are modified in place."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.transforms import take_apart
from facula_errors import ArgumentError, InvalidTypeError

from .._core.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

Args = tuple[Any, ...]
Named = dict[str, Any]


class Arguments:
    """The signature of an operator and its mutated arguments.

    Arguments:
        operation: the prefix of error messages about the definition.
        found: the signature of the operator's function.
        mutates: the names of the arguments that it modifies in place; "unknown" for all tensors.
    """

    __slots__ = ("changed", "named", "positional", "signature", "unknown")

    def __init__(self, operation: str, found: Signature, mutates: Iterable[str] = ()):
        kinds = {name: parameter.kind for name, parameter in found.parameters.items()}
        if not {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}.isdisjoint(kinds.values()):
            raise ArgumentError(f"{operation}: expected a function without *args and **kwargs; got {found}")
        self.signature = found
        self.positional = tuple([name for name, kind in kinds.items() if kind is not Parameter.KEYWORD_ONLY])
        self.named = tuple([name for name, kind in kinds.items() if kind is Parameter.KEYWORD_ONLY])
        self.unknown = mutates == "unknown"
        self.changed = frozenset(kinds) if self.unknown else _mutated_names(operation, found, mutates)

    def bind(self, name: str, args: Args, kwargs: Named) -> tuple[Args, Named]:
        """Return a call's positional and keyword-only arguments, with defaults filled in."""
        if not kwargs and not self.named and len(args) == len(self.positional):
            return args, kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidTypeError(f"{name}: {error}; its signature is {name}{self.signature}") from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def tensors_changed(self, name: str, args: Args, named: Named) -> list[Tensor]:
        """Return the tensors that a call of `name` with these arguments modifies in place."""
        if not self.changed:
            return []
        found: list[Tensor] = []
        for argument, value in (*zip(self.positional, args, strict=False), *named.items()):
            if argument in self.changed:
                leaves = take_apart(value)[0]
                if not self.unknown and not all([leaf is None or isinstance(leaf, Tensor) for leaf in leaves]):
                    raise InvalidTypeError(
                        f"{name}: expected '{argument}', which it changes in place (mutates_args), to be a tensor, a "
                        f"list of tensors or None; got {type(value).__name__}"
                    )
                found += [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        return found


def _mutated_names(operation: str, found: Signature, mutates: Iterable[str]) -> frozenset[str]:
    """Check that `mutates` contains only argument names, and return them."""
    if isinstance(mutates, str) or not hasattr(mutates, "__iter__"):
        raise InvalidTypeError(
            f"{operation}: expected mutates_args to be a tuple, list or set of names, or 'unknown'; got {mutates!r}"
        )
    names = frozenset(mutates)
    for name in names:
        if name not in found.parameters:
            raise ArgumentError(f"{operation}: expected mutates_args to name arguments of {found}; got {name!r}")
    return names


def signature_of(operation: str, function: Any) -> Signature:
    """Return the signature of a function; TypeError if it has none."""
    if not callable(function):
        raise InvalidTypeError(f"{operation}: expected a function; got {type(function).__name__}")
    try:
        return signature(function)
    except ValueError:
        raise InvalidTypeError(
            f"{operation}: expected a function whose arguments Python can tell; got {function!r:.60}. Wrap it in one"
        ) from None
