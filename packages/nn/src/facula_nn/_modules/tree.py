"""`Tree`: named members of a module, and iteration over the tree of modules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError, MissingAttributeError, MissingKeyError
from facula_errors.extend import boundary, is_library_module
from facula_tensor import Parameter, Tensor
from facula_tensor.extend.modules import Hooks
from facula_tensor.extend.names import PyTorchNames, present

from .layer import shown
from .members import BUFFER, MODULE, NAMES, PARAMETER, UNSAVED, Buffer, Members, UnsavedNames, members

M = TypeVar("M")  # the class of the tree's modules; `Module`, which is defined above this file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Generic, TypeAlias

    class Member(Tensor):
        """The type of undeclared attributes for type checkers: a tensor, or a module called with an input.

        The required `input` keeps modules from matching iterables (of parameters, for example).
        """

        def __call__(self, input: Any, /, *args: Any, **kwargs: Any) -> Any: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __getattr__(self, name: str) -> Any: ...

    AnyTree: TypeAlias = "Tree[Any]"

else:
    Generic = {M: object}  # at run time a plain class: another base would keep programs from assigning `__class__`


_PYTORCH = PyTorchNames(sys.modules["facula_nn"].__file__ or "")
_OWN = frozenset({"_kinds", "_hooks"})  # private instance attributes of every class


def _changeable(view: Callable[[Tree[Any]], Any]) -> Any:
    """Return a property that is a view of a module; assignment replaces the view's contents."""
    return property(view, lambda module, content: view(module).replace(content))


def _members(kind: int) -> Any:
    return _changeable(lambda module: Members(module, kind))


@boundary
class Tree(Generic[M]):
    """The part of `Module` that stores parameters, buffers and submodules. See Note [Where members are]."""

    _kinds: dict[str, int]
    _hooks: dict[str, Hooks] | None = None  # by table; None until the first hook is added
    _repr_items: str | None = None  # the items of `extra_repr`: see Note [Fields of layers]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__getattr__" in vars(cls) and not is_library_module(cls.__module__):
            type.__setattr__(cls, "__getattribute__", _members_by_getattr)  # hidden from type checkers

    def __init__(self) -> None:
        self.__dict__["_kinds"] = {}

    # --------------------------------------------------------------------------------------------- attributes
    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        kinds = own.get("_kinds")
        kind = _kind_of(value)
        if kinds is None:
            if kind:
                raise MissingAttributeError(
                    f"{type(self).__name__}: cannot assign {NAMES[kind]} {name!r} before Module.__init__() was called; "
                    "begin __init__ with super().__init__()"
                )
        elif kind or name in kinds:
            former = kinds.get(name, 0) & ~UNSAVED
            if kind and kind != former:
                own.pop(name, None)
                kinds.pop(name, None)
                if kind == PARAMETER:
                    self.register_parameter(name, value)  # subclasses and libraries override it
                elif kind == BUFFER:
                    self.register_buffer(name, value, value.persistent)
                else:  # may shadow a class attribute
                    kinds[name], own[name] = kind, value
            elif kind == PARAMETER:
                self.register_parameter(name, value)
            elif kind or value is None or (former == BUFFER and isinstance(value, Tensor)):
                own[name] = value
                if kind == BUFFER:
                    kinds[name] = BUFFER if value.persistent else BUFFER | UNSAVED
            else:
                wanted = {PARAMETER: "Parameter", MODULE: "Module", BUFFER: "Tensor"}[former]
                remedy = "wrap it in Parameter(...)" if isinstance(value, Tensor) else "delete the attribute first"
                raise InvalidTypeError(
                    f"{type(self).__name__}.{name}: expected a {wanted} or None, since it is a {NAMES[former]}; "
                    f"got {_shown(value)}; {remedy} to give it another value"
                )
            return
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if self.__dict__.get("_kinds", {}).pop(name, None) is None:
            object.__delattr__(self, name)
        else:
            self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Member | Any:
        # Called when the usual look-up failed.
        if name == "_kinds":
            raise MissingAttributeError(
                f"{type(self).__name__}: Module.__init__() was not called; begin __init__ with super().__init__()"
            )
        why = _PYTORCH.missing("torch.nn.Module", name)
        if why and not hasattr(type(self), name):
            raise MissingAttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: {why}", name=name, obj=self
            )
        return object.__getattribute__(self, name)  # raises again, with the error from inside a property

    def __dir__(self) -> list[str]:
        return [name for name in present(type(self), self, _OWN) if not name[:1].isdigit()]

    _parameters = _members(PARAMETER)
    _buffers = _members(BUFFER)
    _modules = _members(MODULE)
    _non_persistent_buffers_set = _changeable(UnsavedNames)

    def extra_repr(self) -> str:
        """Return the text between the parentheses of the repr. Subclasses may override this method."""
        items = type(self)._repr_items
        return shown(self, items) if items else ""

    def _get_name(self) -> str:
        return type(self).__name__

    # ------------------------------------------------------------------------------------------- registration
    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter. None reserves the name for an absent parameter.

        TypeError if `param` is not a Parameter, KeyError for a name that is empty, contains a dot or is taken,
        ValueError for a parameter that is not a leaf.
        """
        if param is not None and not isinstance(param, Parameter):
            raise InvalidTypeError(
                f"register_parameter: expected a Parameter or None for {name!r}; got {_shown(param)}"
            )
        self._register(PARAMETER, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a buffer: a tensor that is state but not trained. `state_dict` omits it unless `persistent`.

        TypeError if `tensor` is not a tensor, KeyError for a name that is empty, contains a dot or is taken.

        Arguments:
            name: the attribute's name.
            tensor: the tensor, or None to reserve the name.
            persistent: whether `state_dict` includes it.

        >>> from facula_nn import Module
        >>> from facula_tensor import zeros
        >>> module = Module()
        >>> module.register_buffer("mean", zeros(2))
        >>> module.mean
        tensor([0., 0.])
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise InvalidTypeError(f"register_buffer: expected a Tensor or None for {name!r}; got {_shown(tensor)}")
        self._register(BUFFER if persistent else BUFFER | UNSAVED, name, tensor)

    def register_module(self, name: str, module: M | None) -> None:
        """Add a submodule. TypeError if it is not a Module, KeyError for an empty or taken name, or one with a dot."""
        if module is not None and not isinstance(module, Tree):
            raise InvalidTypeError(f"register_module: expected a Module or None for {name!r}; got {_shown(module)}")
        self._register(MODULE, name, module)

    def add_module(self, name: str, module: M | None) -> None:
        """Alias of `register_module`."""
        self.register_module(name, module)

    def _register(self, kind: int, name: str, value: Any) -> None:
        """Add a member of one kind.

        Arguments:
            kind: PARAMETER, MODULE, or BUFFER, optionally combined with UNSAVED.
            name: its name.
            value: the member, or None.
        """
        operation = f"register_{NAMES[kind & ~UNSAVED]}"
        kinds = self._kinds
        if not isinstance(name, str):
            raise InvalidTypeError(f"{operation}: expected the name as a str; got {type(name).__name__}")
        if not name or "." in name:
            raise MissingKeyError(f"{operation}: expected a name that is not empty and has no dot; got {name!r}")
        if kinds.get(name, 0) & ~UNSAVED != kind & ~UNSAVED and hasattr(self, name):
            raise MissingKeyError(
                f"{operation}: {type(self).__name__} has an attribute {name!r} already; choose another name"
            )
        if kind == PARAMETER and value is not None and not value.is_leaf:
            raise InvalidValueError(
                f"{operation}: expected a leaf for {name!r}; this parameter was computed; use .detach()"
            )
        if isinstance(value, Buffer) and not value.persistent:
            kind |= UNSAVED
        kinds[name] = kind
        self.__dict__[name] = value

    # ---------------------------------------------------------------------------------------------- iteration
    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, M]]:
        """Yield this module and all its descendants, each once, with their dotted paths.

        Arguments:
            memo: modules to omit; the method adds the modules that it yields.
            prefix: the prefix of all names.
            remove_duplicate: yield each module once, even if it occurs several times.

        >>> from facula_nn import ReLU, Sequential
        >>> [name for name, module in Sequential(Sequential(ReLU())).named_modules()]
        ['', '0', '0.0']
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self  # type: ignore[misc]
        own = self.__dict__
        for name, kind in self._kinds.items():
            if kind == MODULE and (module := own.get(name)) is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[M]:
        """Yield this module and all its descendants; unless `remove_duplicate`, shared modules once per occurrence."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, M]]:
        """Yield the direct children, each once, with their names."""
        seen: set[M] = set()
        for name, module in members(self, MODULE):
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[M]:
        """Yield the direct children, each once."""
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield all parameters, each once, with their dotted names; without `recurse` only the module's own.

        Arguments:
            prefix: the prefix of all names.
            recurse: include those of descendants.
            remove_duplicate: yield each once, even if it occurs several times.
        """
        return self._named(PARAMETER, prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield all parameters, each once, as an optimizer expects them."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield all buffers, each once, with their dotted names; without `recurse` only the module's own.

        Arguments:
            prefix: the prefix of all names.
            recurse: include those of descendants.
            remove_duplicate: yield each once, even if it occurs several times.
        """
        return self._named(BUFFER, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield all buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named(self, kind: int, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        """Yield names and values of the members of one kind.

        Arguments:
            kind: PARAMETER or BUFFER.
            prefix: the prefix of all names.
            recurse: include those of descendants.
            remove_duplicate: yield each once, even if it occurs several times.
        """
        seen: set[int] = set()
        below: Iterable[tuple[str, Any]] = [(prefix, self)]
        if recurse:
            below = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in below:
            own = module.__dict__
            for name, own_kind in module._kinds.items():
                if own_kind & kind and (value := own.get(name)) is not None and id(value) not in seen:
                    if remove_duplicate:
                        seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def get_submodule(self, target: str) -> M:
        """Return the module at a dotted path, or this one for "". AttributeError that names the missing component."""
        module: Any = self
        for name in target.split(".") if target else ():
            below = {name: one for name, one in members(module, MODULE) if one is not None}
            if name not in below:
                raise MissingAttributeError(
                    f"get_submodule({target!r}): {type(module).__name__} has no module {name!r}; "
                    f"there are {', '.join(below) or 'none':.200}"
                )
            module = below[name]
        return module

    def set_submodule(self, target: str, module: M, strict: bool = False) -> None:
        """Put a module at a dotted path; with `strict`, AttributeError unless it replaces a module.

        Arguments:
            target: the dotted path.
            module: the module.
            strict: reject a path at which there is no module yet.
        """
        path, _, name = target.rpartition(".")
        if not name:
            raise InvalidValueError(f"set_submodule: expected a path to a module below this one; got {target!r}")
        if not isinstance(module, Tree):
            raise InvalidTypeError(f"set_submodule({target!r}): expected a Module; got {type(module).__name__}")
        if strict:
            self.get_submodule(target)
        setattr(self.get_submodule(path), name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path. AttributeError if there is none."""
        return self._member_at("get_parameter", PARAMETER, target)

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path. AttributeError if there is none."""
        return self._member_at("get_buffer", BUFFER, target)

    def _member_at(self, operation: str, kind: int, target: str) -> Any:
        """Return the member at a dotted path.

        Arguments:
            operation: the method's name, with which errors begin.
            kind: PARAMETER or BUFFER.
            target: the path.
        """
        path, _, name = target.rpartition(".")
        module: Any = self.get_submodule(path)
        found = {name: one for name, one in members(module, kind) if one is not None}
        if name not in found:
            raise MissingAttributeError(
                f"{operation}({target!r}): {type(module).__name__} has no {NAMES[kind]} {name!r}; "
                f"there are {', '.join(found) or 'none':.200}"
            )
        return found[name]


def _members_by_getattr(self: AnyTree, name: str) -> Any:
    """Look up an attribute in a class that overrides `__getattr__`, which PyTorch calls for each registered member."""
    if name in object.__getattribute__(self, "__dict__").get("_kinds", ()):
        return type(self).__getattr__(self, name)
    return object.__getattribute__(self, name)


def _kind_of(value: object) -> int:
    """Return the kind of member that an assigned value becomes; 0 for most values."""
    if isinstance(value, Tensor):
        return PARAMETER if isinstance(value, Parameter) else BUFFER if isinstance(value, Buffer) else 0
    return MODULE if isinstance(value, Tree) else 0


def _shown(value: object) -> str:
    """Format a value for error messages."""
    if isinstance(value, type):
        return f"the class {value.__name__}, not an instance of it (write {value.__name__}(...))"
    return type(value).__name__
