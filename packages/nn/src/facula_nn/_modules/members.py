"""Members of modules (parameters, submodules, buffers), and mapping views of the members of one kind.

Note [Where members are]
~~~~~~~~~~~~~~~~~~~~~~~~
Parameters, buffers and submodules are stored in the instance's ``__dict__``, so that `self.weight` is an ordinary
attribute. `_kinds` maps each registered name to its kind, in the order of registration. These two are the only
storage: `_parameters`, `_buffers` and `_modules` are views, created on access, that read and write both. `isinstance`
treats the views as dicts. (The module does not cache its views: a view refers to the module and would close a cycle.)
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, MutableMapping, MutableSet, ValuesView
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, overload

from facula_errors import InvalidTypeError, MissingKeyError
from facula_errors.extend import boundary
from facula_tensor import Tensor, empty
from facula_tensor.extend.overriding import plain_torch_function
from facula_tensor.extend.tensors import make, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Protocol

    from facula_tensor import Parameter

    from .._types import StateDict

    class Holder(Protocol):
        """The attributes of a module that its members need."""

        _kinds: dict[str, int]


# The flags in `_kinds`: one of the first three; a buffer may also have the last.
PARAMETER: Final = 1
MODULE: Final = 2
BUFFER: Final = 4
UNSAVED: Final = 8
NAMES: dict[int, str] = {PARAMETER: "parameter", MODULE: "module", BUFFER: "buffer"}


class Buffer(Tensor):
    """A tensor that becomes a buffer (state that is not trained) when it is assigned to a module's attribute.

    The buffer shares the memory of `data`. State dicts omit a buffer that is not `persistent`.
    TypeError if `data` is not a tensor.

    >>> from facula_tensor import zeros
    >>> from facula_nn import Module
    >>> module = Module()
    >>> module.mean = Buffer(zeros(2))
    >>> [name for name, buffer in module.named_buffers()]
    ['mean']
    """

    persistent: bool
    __torch_function__ = classmethod(plain_torch_function)  # type: ignore[var-annotated]

    @boundary
    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        source = empty(0) if data is None else data
        if not isinstance(source, Tensor):
            raise InvalidTypeError(f"Buffer: expected data to be a Tensor; got {type(source).__name__}")
        now = snapshot(source)
        new = make(cls, now._layout, now._storage, now._offset)
        new.persistent = persistent
        return new


class _Reversible:
    """Methods that views of dicts have and views of `collections.abc` lack."""

    _mapping: Members
    __slots__ = ()

    def __reversed__(self) -> Iterator[Any]:
        return reversed(list(self))  # type: ignore[call-overload]

    def __repr__(self) -> str:
        return repr(getattr(dict(self._mapping), type(self).__name__.lower())())


class Keys(_Reversible, KeysView[str]):
    """Names of members."""


class Values(_Reversible, ValuesView[Any]):
    """Members."""


class Items(_Reversible, ItemsView[str, Any]):
    """Names and members."""


if TYPE_CHECKING:
    _Dict = dict[str, Any]
else:

    class _Dict(MutableMapping, dict):
        """A dict for `isinstance`, whose methods all use the methods that its subclass defines."""

        __slots__ = ()


@boundary
class Members(_Dict):
    """A module's members of one kind, by name: a view of its attributes, through which they can also be assigned.

    It is a dict for `isinstance` but has no entries: every dict operation uses the methods defined here.
    """

    __slots__ = ("_kind", "_module")

    def __init__(self, module: Holder, kind: int) -> None:
        self._module, self._kind = module, kind

    def __getitem__(self, name: str) -> Any:
        if name in self:
            return self._module.__dict__[name]
        raise MissingKeyError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self:
            self._module._kinds[name] = self._kind
        self._module.__dict__[name] = value

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise MissingKeyError(name)
        del self._module._kinds[name], self._module.__dict__[name]

    def __contains__(self, name: object) -> bool:
        module = self._module
        return bool(module._kinds.get(name, 0) & self._kind) and name in module.__dict__  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in members(self._module, self._kind)])

    def __reversed__(self) -> Iterator[str]:  # type: ignore[override]
        return reversed(list(self))

    def __len__(self) -> int:
        return len(members(self._module, self._kind))

    def __repr__(self) -> str:
        return repr(dict(self))

    def __or__(self, other: Any) -> Any:
        return dict(self) | dict(other) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return dict(other) | dict(self) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> Members:  # type: ignore[misc, override]
        self.update(other)
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def keys(self) -> Keys:  # type: ignore[override]
        """Return the names."""
        return Keys(self)

    def values(self) -> Values:  # type: ignore[override]
        """Return the members."""
        return Values(self)

    def items(self) -> Items:  # type: ignore[override]
        """Return pairs of names and members."""
        return Items(self)

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last member. KeyError if there is none."""
        names = list(self)
        if not names:
            raise MissingKeyError("popitem: the module has no such member")
        return names[-1], self.pop(names[-1])

    def copy(self) -> StateDict:
        """Return a dict of the same members."""
        return dict(self)

    def replace(self, others: Mapping[str, Any]) -> None:
        """Replace all members by `others`, in their order, as assigning the whole dict does."""
        if not isinstance(others, Mapping):
            raise InvalidTypeError(
                f"{type(self._module).__name__}: expected a dict of members; got {type(others).__name__}"
            )
        given = dict(others)
        kinds = {name: self._module._kinds.get(name, 0) for name in given}  # keeps the UNSAVED flags
        for name in self:
            del self[name]
        for name, value in given.items():
            self._module._kinds.pop(name, None)
            self._module._kinds[name] = kinds[name] if kinds[name] & self._kind else self._kind
            self._module.__dict__[name] = value


class UnsavedNames(MutableSet[str]):
    """The names of a module's buffers that state dicts omit: a view, like `Members`."""

    _kinds: dict[str, int]

    __slots__ = ("_kinds",)

    def __init__(self, module: Holder) -> None:
        self._kinds = module._kinds

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> set[str]:  # type: ignore[override]
        return set(names)

    def __contains__(self, name: object) -> bool:
        return bool(self._kinds.get(name, 0) & UNSAVED)  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, kind in self._kinds.items() if kind & UNSAVED])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return repr(set(self))

    def add(self, name: str) -> None:
        """Exclude a buffer from state dicts. KeyError if no buffer has this name."""
        if not self._kinds.get(name, 0) & BUFFER:
            raise MissingKeyError(
                f"_non_persistent_buffers_set: expected the name of a buffer; got {name!r}; call register_buffer first"
            )
        self._kinds[name] |= UNSAVED

    def discard(self, name: str) -> None:
        """Include a buffer in state dicts again."""
        if name in self:
            self._kinds[name] &= ~UNSAVED

    def replace(self, names: Iterable[str]) -> None:
        """Replace all names by these."""
        given = set(names)
        self |= given
        self &= given

    def update(self, *others: Iterable[str]) -> None:
        """Add the names of other sets."""
        for other in others:
            self |= set(other)

    def copy(self) -> set[str]:
        """Return a set of the same names."""
        return set(self)

    def union(self, *others: Iterable[str]) -> set[str]:
        """Return a set of these names and the names of others."""
        return set(self).union(*others)

    def difference(self, *others: Iterable[str]) -> set[str]:
        """Return a set of the names that are not in others."""
        return set(self).difference(*others)


@overload
def members(module: Holder, kind: Literal[1]) -> list[tuple[str, Parameter | None]]: ...
@overload
def members(module: Holder, kind: Literal[4]) -> list[tuple[str, Tensor | None]]: ...
@overload
def members(module: Holder, kind: int) -> list[tuple[str, Any]]: ...
def members(module: Holder, kind: int) -> list[tuple[str, Any]]:
    """Return names and values of the members of one kind, in the order of registration."""
    own = module.__dict__
    return [(name, own[name]) for name, kind_ in module._kinds.items() if kind_ & kind and name in own]
