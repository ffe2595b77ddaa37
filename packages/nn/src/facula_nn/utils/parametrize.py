"""Parameters that are computed from others: `register_parametrization` and related functions.

Note [Parametrized modules]
~~~~~~~~~~~~~~~~~~~~~~~~~~~
A module with a parametrization gets a class of its own. The class inherits from the module's original class and
replaces the parameter by a property. Reading the property computes the value from `module.parametrizations[name]`,
which contains the parameter itself, named `original`, and the modules that are applied to it. State dicts and
optimizers therefore contain the trained tensors.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary, guarded, published
from facula_tensor import Parameter, Tensor, no_grad

from .._modules.containers import ModuleDict, ModuleList
from .._modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "type_before_parametrizations",
]

__dir__ = published(__name__)


class _Cache:
    """The values already computed inside `cached`."""

    depth = 0
    values: dict[tuple[int, str], Tensor] = {}  # noqa: RUF012  shared, like the depth


@guarded
def cached() -> Iterator[None]:
    """Compute each parametrized value only once within this context; not thread-safe.

    >>> with cached():
    ...     pass
    """
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values = {}


@boundary
class ParametrizationList(ModuleList):
    """The original tensors of a parameter (`original`, or `original0`, ...), and the modules applied to them in order.

    Created by `register_parametrization`. ValueError if a value changes shape or dtype, unless `unsafe`.

    Arguments:
        modules: the parametrizations, in the order of application.
        original: the original tensor.
        unsafe: allow changes of shape and dtype, without checks.
    """

    is_tensor: bool
    ntensors: int

    def __init__(self, modules: Iterable[Module], original: Tensor, unsafe: bool = False) -> None:
        modules = list(modules)
        if not modules:
            raise InvalidValueError("ParametrizationList: expected at least one module; got none")
        super().__init__(modules)
        self.unsafe = unsafe
        new: Any = original
        with no_grad():
            for module in reversed(modules):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:  # PyTorch's convention for a missing right_inverse
                        pass
        if not isinstance(new, (Tensor, list, tuple)):
            raise InvalidValueError(
                f"right_inverse: expected a Tensor, or several; got {type(new).__name__} from {modules[0]!r:.60}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if isinstance(new, Tensor):
            if new.dtype is not original.dtype:
                raise InvalidValueError(f"right_inverse: expected {original.dtype.name}; got {new.dtype.name}")
            if new is not original:
                original.data = new.detach()
            _restore_tensor(self, "original", original)
        else:
            for at, tensor in enumerate(new):
                if not isinstance(tensor, Tensor):
                    raise InvalidValueError(f"right_inverse: expected Tensors; got {type(tensor).__name__} at {at}")
                wants = original.requires_grad
                made = Parameter(tensor.detach(), wants) if isinstance(original, Parameter) else tensor.detach()
                _restore_tensor(self, f"original{at}", made)
        if not unsafe:
            _check_same("", original, self())

    @property
    def originals(self) -> list[Tensor]:
        """Return the tensors from which the value is computed."""
        return [self.original] if self.is_tensor else [getattr(self, f"original{at}") for at in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Set the parametrized value to `value`. RuntimeError if a module has no `right_inverse`."""
        with no_grad():
            new: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise OperationError(
                        f"parametrize: {type(module).__name__} has no right_inverse to set the value; define it"
                    )
                new = module.right_inverse(new)
            new = [new] if self.is_tensor else list(new)
            for own, tensor in zip(self.originals, new, strict=True):
                if not isinstance(tensor, Tensor) or tensor.dtype is not own.dtype:
                    raise InvalidValueError(f"right_inverse: expected a Tensor of {own.dtype.name}; got {tensor!r:.60}")
                own.data = tensor.detach() if tensor is not value else tensor.detach().clone()

    def forward(self) -> Tensor:
        """Return the value."""
        modules = list(self)
        value = modules[0](*self.originals)
        for module in modules[1:]:
            value = module(value)
        return value


@boundary
def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Replace `module`'s parameter or buffer by `parametrization(original)`. Modifies and returns the module.

    `original` is the result of `parametrization.right_inverse(value)`, or the present value without this method.
    Several parametrizations are applied in order. ValueError if there is no such tensor and, unless `unsafe`, if shape
    or dtype change. See Note [Parametrized modules].

    Arguments:
        module: the module to modify.
        tensor_name: the name of its parameter or buffer.
        parametrization: the module that computes the value from the original.
        unsafe: allow changes of shape and dtype, without checks.

    Returns:
        The module.

    >>> from facula_nn import Linear, Module
    >>> class Symmetric(Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = register_parametrization(Linear(3, 3), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all()), list(layer.state_dict())
    (True, ['bias', 'parametrizations.weight.original'])
    """
    if not isinstance(parametrization, Module):
        raise InvalidTypeError(
            f"register_parametrization: expected parametrization to be a Module; got {type(parametrization).__name__}"
        )
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        found = _list_of(module, tensor_name)
        if not unsafe:
            value = getattr(module, tensor_name)
            new = parametrization(value)
            _check_same("forward", value, new)
            if hasattr(parametrization, "right_inverse"):
                _check_same("right_inverse", value, parametrization.right_inverse(new))
        found.append(parametrization)
        found.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise InvalidValueError(
            f"register_parametrization: expected the name of a parameter, buffer or parametrized tensor of "
            f"{type(module).__name__}; got {tensor_name!r}"
        )
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_class(module, type(module), [])
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module._modules["parametrizations"][tensor_name] = made
    return module


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a module has parametrizations, or one of the given tensor."""
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


@boundary
def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Restore an ordinary tensor with the computed value, or with the value of `original`; return the module.

    ValueError if it is not parametrized, or has several originals and `leave_parametrized` is False.

    Arguments:
        module: the module to modify.
        tensor_name: the name of the parametrized tensor.
        leave_parametrized: keep the computed value instead of the original's.

    Returns:
        The module.
    """
    if not is_parametrized(module, tensor_name):
        raise InvalidValueError(
            f"remove_parametrizations: expected a parametrized tensor of {type(module).__name__}; got {tensor_name!r}"
        )
    found = _list_of(module, tensor_name)
    if not leave_parametrized and not found.is_tensor:
        raise InvalidValueError(
            "remove_parametrizations: leave_parametrized=False needs one original tensor; there are several"
        )
    original = found.originals[0]
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name)
        if found.is_tensor:
            original.data = value.detach().clone()
        else:
            wants = any(tensor.requires_grad for tensor in found.originals)
            original = Parameter(value.detach(), wants) if isinstance(original, Parameter) else value.detach()
    delattr(type(module), tensor_name)
    del module._modules["parametrizations"][tensor_name]
    _restore_tensor(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type_before_parametrizations(module)
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the original class of a parametrized module."""
    return getattr(type(module), "_parametrized_from", type(module))


def _list_of(module: Module, name: str) -> ParametrizationList:
    found: ParametrizationList = module._modules["parametrizations"][name]
    return found


def _check_same(what: str, wanted: Tensor, got: object) -> None:
    """Raise ValueError if a parametrization returned a tensor of another shape or dtype, or another object.

    Arguments:
        what: the method's name, for errors; "" for none.
        wanted: the original tensor.
        got: the value that the parametrization returned.
    """
    place = f"parametrization's {what}" if what else "parametrization"
    if not isinstance(got, Tensor):
        raise InvalidValueError(f"{place}: expected a Tensor; got {type(got).__name__}; unsafe=True allows it")
    if got.dtype is not wanted.dtype or got.shape != wanted.shape:
        raise InvalidValueError(
            f"{place}: expected {wanted.dtype.name} {tuple(wanted.shape)}, as it was; got {got.dtype.name} "
            f"{tuple(got.shape)}; unsafe=True allows it"
        )


def _restore_tensor(module: Module, name: str, tensor: Tensor) -> None:
    """Restore a tensor, as a parameter if it is one, else as a buffer.

    Arguments:
        module: the module.
        name: the tensor's name.
        tensor: the tensor.
    """
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _property(name: str) -> property:
    def read(self: Module) -> Tensor:
        found: Any = self.parametrizations
        if not _Cache.depth:
            return found[name]()
        key = (id(self), name)
        if key not in _Cache.values:
            _Cache.values[key] = found[name]()
        return _Cache.values[key]

    def write(self: Module, value: Tensor) -> None:
        found: Any = self.parametrizations
        found[name].right_inverse(value)

    return property(read, write)


def _give_class(module: Module, base: type, names: list[str]) -> None:
    """Give a module a class of its own, with properties of these names.

    Arguments:
        module: the module to modify.
        base: the base of the new class.
        names: the names of the properties.
    """

    def refuse(self: Module) -> NoReturn:
        raise UnsupportedError(
            f"{type(self).__name__}: parametrized modules cannot be pickled; save their state_dict() instead"
        )

    def copied(self: Module, memo: dict[int, object]) -> Module:
        own: Module = object.__new__(base)
        memo[id(self)] = own
        Module.__setstate__(own, deepcopy(self.__dict__, memo))
        _give_class(own, base, list(own._modules["parametrizations"]))
        return own

    body: dict[str, object] = {
        "__getstate__": refuse,
        "__deepcopy__": copied,
        "_parametrized_from": base,
        "__module__": base.__module__,
    }
    body.update({name: _property(name) for name in names})
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), body)
