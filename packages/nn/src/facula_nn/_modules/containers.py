"""Modules that contain other modules or parameters: sequences, lists and dicts."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Generic, overload

from facula_errors import InvalidIndexError, InvalidTypeError, MissingKeyError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor

from .members import MODULE, members
from .module import Module, nested

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self, SupportsIndex

    from typing_extensions import TypeVar  # supports defaults; installed with every type checker

    M = TypeVar("M", bound=Module, default=Module)
    T = TypeVar("T")
else:
    from typing import TypeVar

    M = TypeVar("M")


@boundary
class _Container(Module):
    """Base class of containers that have no forward of their own."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Raise NotImplementedError: a container has no forward."""
        name = type(self).__name__
        raise UnsupportedError(
            f"{name}: is a container without a forward; call its modules one by one, as in "
            "`for module in modules: x = module(x)`, or use Sequential"
        )


@boundary
class _SequenceContainer(Module, Generic[M]):
    """A sequence of modules, registered under the names "0", "1", ..."""

    def _place(self, index: SupportsIndex, length: int) -> int:
        try:
            place = index.__index__()
        except AttributeError:
            raise InvalidTypeError(
                f"{type(self).__name__}: expected an integer or a slice as index; got {type(index).__name__}"
            ) from None
        if not -length <= place < length:
            expected = f"expected {-length} to {length - 1}" if length else "it is empty"
            raise InvalidIndexError(
                f"{type(self).__name__}: index {place} is out of range for {length} module(s); {expected}"
            )
        return place % length

    def _replace_children(self, named: list[tuple[str, M]]) -> None:
        """Replace all children; numeric names are renumbered from 0."""
        counted = all([name.isdigit() for name, _ in named])
        self._modules.clear()
        for place, (name, module) in enumerate(named):
            self.add_module(str(place) if counted else name, module)

    def _free_name(self) -> str:
        """Return the next number as a name, skipping names that the user has taken."""
        return next(name for name in map(str, count(len(self))) if name not in self._kinds)

    def __len__(self) -> int:
        return len(members(self, MODULE))

    def __iter__(self) -> Iterator[M]:
        return iter([module for _, module in members(self, MODULE)])

    @overload
    def __getitem__(self, index: int) -> M: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> M | Self:
        if isinstance(index, slice):
            return self._part(members(self, MODULE)[index])
        named = members(self, MODULE)
        return named[self._place(index, len(named))][1]

    def _part(self, named: list[tuple[str, M]]) -> Self:
        return type(self)([module for _, module in named])  # type: ignore[call-arg]

    def __setitem__(self, index: int, module: M) -> None:
        named = members(self, MODULE)
        setattr(self, named[self._place(index, len(named))][0], module)

    def __delitem__(self, index: int | slice) -> None:
        named = members(self, MODULE)
        del named[index if isinstance(index, slice) else self._place(index, len(named))]
        self._replace_children(named)

    def append(self, module: M) -> Self:
        """Append a module."""
        self.add_module(self._free_name(), module)
        return self

    def insert(self, index: int, module: M) -> Self:
        """Insert a module at position `index`; later modules are renumbered."""
        if not isinstance(module, Module):
            raise InvalidTypeError(f"{type(self).__name__}.insert: expected a Module; got {type(module).__name__}")
        named = members(self, MODULE)
        if not -len(named) <= index <= len(named):
            raise InvalidIndexError(
                f"{type(self).__name__}.insert: index {index} is out of range; expected {-len(named)} to {len(named)}"
            )
        named.insert(index, (self._free_name(), module))
        self._replace_children(named)
        return self

    def extend(self, modules: Iterable[M]) -> Self:
        """Append several modules."""
        if isinstance(modules, Module) and not isinstance(modules, _SequenceContainer):
            raise InvalidTypeError(f"{type(self).__name__}.extend: expected several modules; got one; use append")
        for module in list(modules):
            self.append(module)
        return self

    @overload
    def pop(self, key: int) -> M: ...
    @overload
    def pop(self, key: slice) -> Self: ...
    def pop(self, key: int | slice) -> M | Self:
        """Remove and return the module at an index, or the modules of a slice."""
        module = self[key]
        del self[key]
        return module

    def __iadd__(self, modules: Iterable[M]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[M]) -> Self:
        return self._part([(str(place), module) for place, module in enumerate(chain(self, other))])


@boundary
class Sequential(_SequenceContainer[Module]):
    """A chain of modules, each called with the result of the previous one. Takes modules, or one dict of named modules.

    >>> from facula_nn import Linear, ReLU
    >>> net = Sequential(Linear(4, 3), ReLU(), Linear(3, 2))
    >>> net[:2]
    Sequential(
      (0): Linear(in_features=4, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: Mapping[str, Module], /) -> None: ...
    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], (list, tuple)):
            called, kind = type(self).__name__, type(args[0]).__name__
            raise InvalidTypeError(
                f"{called}: expected modules as separate arguments; got a {kind}; write {called}(*modules)"
            )
        named = args[0].items() if len(args) == 1 and isinstance(args[0], Mapping) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def _part(self, named: list[tuple[str, Module]]) -> Self:
        return type(self)(dict(named))

    def forward(self, input: Any) -> Tensor | Any:  # the type depends on the last module
        """Return the result of the last module."""
        own = self.__dict__
        for name, kind in self._kinds.items():
            if kind == MODULE:
                input = own[name](input)
        return input

    def __mul__(self, times: int) -> Self:
        return type(self)(*list(self) * times)

    __rmul__ = __mul__


@boundary
class ModuleList(_Container, _SequenceContainer[M]):
    """A list of modules whose parameters are registered. It has no forward of its own.

    >>> from facula_nn import Linear
    >>> ModuleList([Linear(2, 2) for _ in range(3)])
    ModuleList(
      (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
    )
    """

    def __init__(self, modules: Iterable[M] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(_checked_iterable("ModuleList", modules))

    def __repr__(self) -> str:
        runs: list[tuple[int, int, str]] = []  # first index, last index, repr
        for place, module in enumerate(self):
            if runs and runs[-1][2] == repr(module):
                runs[-1] = (runs[-1][0], place, runs[-1][2])
            else:
                runs.append((place, place, repr(module)))
        children = [
            f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            for first, last, text in runs
        ]
        return nested(self._get_name(), [], children)


@boundary
class ModuleDict(_Container, MutableMapping[str, M]):
    """A dict of modules whose parameters are registered. It has no forward of its own.

    >>> from facula_nn import ReLU, Tanh
    >>> ModuleDict({"soft": Tanh(), "hard": ReLU()})
    ModuleDict(
      (soft): Tanh()
      (hard): ReLU()
    )
    """

    __eq__ = Module.__eq__
    __hash__ = Module.__hash__

    def __init__(self, modules: Mapping[str, M] | Iterable[tuple[str, M]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(_pairs("ModuleDict", modules))

    def __getitem__(self, key: str) -> M:
        try:
            return self._modules[key]
        except KeyError:
            raise MissingKeyError(
                f"ModuleDict: there is no module {key!r}; there are {', '.join(self) or 'none'}"
            ) from None

    def __setitem__(self, key: str, module: M) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(members(self, MODULE))


@boundary
class ParameterList(_Container):
    """A list of registered parameters. Tensors become parameters; other values are stored unchanged.

    >>> from facula_tensor import ones
    >>> ParameterList([ones(2), ones(3)])[1].requires_grad
    True
    """

    _size: int

    def __init__(self, values: Iterable[object] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(_checked_iterable("ParameterList", values))

    def _place(self, index: int) -> str:
        if not hasattr(index, "__index__"):
            raise InvalidTypeError(
                f"ParameterList: expected an integer or a slice as index; got {type(index).__name__} {index!r:.60}"
            )
        if not -self._size <= index < self._size:
            expected = f"expected {-self._size} to {self._size - 1}" if self._size else "it is empty"
            raise InvalidIndexError(
                f"ParameterList: index {index} is out of range for {self._size} value(s); {expected}"
            )
        return str(index % self._size)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self.__dict__[str(place)] for place in range(self._size)])

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self.__dict__[self._place(index)]

    def __setitem__(self, index: int, value: object) -> None:
        setattr(self, self._place(index), _parameter(value))

    def append(self, value: object) -> Self:
        """Append a value."""
        setattr(self, str(self._size), _parameter(value))
        self._size += 1
        return self

    def extend(self, values: Iterable[object]) -> Self:
        """Append several values."""
        if isinstance(values, Tensor):
            raise InvalidTypeError("ParameterList.extend: expected several values; got one tensor; use append")
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[object]) -> Self:
        return self.extend(values)

    def __repr__(self) -> str:
        return nested(self._get_name(), [], [f"  ({place}): {_entry_text(value)}" for place, value in enumerate(self)])


@boundary
class ParameterDict(_Container, MutableMapping[str, Any]):
    """A dict of registered parameters. Tensors become parameters; other values are stored unchanged.

    >>> from facula_tensor import ones
    >>> [name for name, parameter in ParameterDict({"scale": ones(2)}).named_parameters()]
    ['scale']
    """

    __eq__ = Module.__eq__
    __hash__ = Module.__hash__

    def __init__(self, parameters: Mapping[str, object] | Iterable[tuple[str, object]] | None = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(_pairs("ParameterDict", parameters))

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise MissingKeyError(key)
        return self.__dict__[key]

    def __setitem__(self, key: str, value: object) -> None:
        if not isinstance(key, str):
            raise InvalidTypeError(f"ParameterDict: expected the key as a str; got {type(key).__name__}")
        if key not in self._keys and hasattr(self, key):
            raise MissingKeyError(f"ParameterDict: it has an attribute {key!r} already; choose another key")
        setattr(self, key, _parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._keys))

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return nested(self._get_name(), [], [f"  ({key}): {_entry_text(value)}" for key, value in self.items()])


def _checked_iterable(holder: str, values: Iterable[T]) -> Iterable[T]:
    """Return the values for a list. TypeError unless they are iterable and not a string."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InvalidTypeError(
            f"{holder}: expected several values in a list; got {type(values).__name__} {values!r:.60}"
        )
    return values


def _pairs(holder: str, values: Mapping[str, T] | Iterable[tuple[str, T]]) -> Mapping[str, T] | Iterable[tuple[str, T]]:
    """Return the items for a dict. TypeError unless they are a mapping or an iterable of pairs."""
    if isinstance(values, Mapping):
        return values
    pairs: list[Any] = (
        list(values) if hasattr(values, "__iter__") and not isinstance(values, (str, Tensor)) else [values]
    )
    if not all([isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs]):
        raise InvalidTypeError(
            f"{holder}: expected a mapping, or pairs of a key and a value; got {type(values).__name__} {values!r:.60}"
        )
    return pairs


def _parameter(value: object) -> object:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _entry_text(value: object) -> str:
    if isinstance(value, Parameter):
        return f"Parameter containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"
    return f"Object of type: {type(value).__name__}"
