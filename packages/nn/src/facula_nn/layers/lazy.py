"""Lazy modules: the base class of layers that infer their input size on the first call, and `LazyLinear`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor, no_grad

from .._arguments import check_input
from .._modules.layer import constructor, innermost
from .._modules.members import BUFFER, PARAMETER, members
from .._modules.module import Module
from .._modules.places import locate
from .._modules.uninitialized import UninitializedBuffer, UninitializedParameter, is_lazy
from .linear import Linear

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec

    P = ParamSpec("P")


@boundary
class LazyModuleMixin:
    """Base class of modules whose parameters have no shape before the first call.

    It precedes `Module` among the bases: ``class LazyScale(LazyModuleMixin, Module)``. A subclass creates its
    parameters as `UninitializedParameter()` and its buffers as `UninitializedBuffer()`. It defines
    ``initialize_parameters(*args, **kwargs)``, which materializes them for the arguments of the first call.
    The module then becomes an instance of `cls_to_become`, unless that is None.

    Loading a state dict also sets the shapes. Before that, a program may change dtypes and devices and create
    optimizers.
    """

    cls_to_become: type[Module] | None = None

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters and buffers. Subclasses must define this method."""
        raise UnsupportedError(
            f"{type(self).__name__}: a lazy class cannot make its parameters; define initialize_parameters in it"
        )

    def has_uninitialized_params(self) -> bool:
        """Return whether one of the module's own parameters or buffers has no shape yet."""
        module: Module = self  # type: ignore[assignment]  # `Module` is the other base
        return any(is_lazy(value) for kind in (PARAMETER, BUFFER) for _, value in members(module, kind))

    def __call__(self, *args: object, **kwargs: object) -> Any:
        module: Module = self  # type: ignore[assignment]  # `Module` is the other base
        try:
            self.initialize_parameters(*args, **kwargs)
        except Exception as error:
            locate(error, module)
            raise
        if self.cls_to_become is not None:
            module.__class__ = self.cls_to_become
        return Module.__call__(module, *args, **kwargs)

    def _complete(self) -> None:
        """Replace the module's parameters and floating buffers by uninitialized ones."""
        module: Module = self  # type: ignore[assignment]  # `Module` is the other base
        for name, value in members(module, PARAMETER):
            if value is not None:
                setattr(module, name, UninitializedParameter(device=value.device, dtype=value.dtype))
        for name, buffer in members(module, BUFFER):
            if buffer is not None and buffer.is_floating_point():
                setattr(module, name, UninitializedBuffer(device=buffer.device, dtype=buffer.dtype))

    @no_grad()
    def _take_shapes(self, **shapes: tuple[int, ...]) -> None:
        """Materialize each uninitialized parameter and buffer, and initialize all of them."""
        module: Any = self
        if not self.has_uninitialized_params():
            return
        for name, shape in shapes.items():
            value = getattr(module, name)
            if is_lazy(value):
                value.materialize(shape)
                if isinstance(value, Tensor) and name in module._buffers:
                    module.__dict__[name] = value.detach()  # a plain tensor, which operators process faster
        module.reset_parameters()


def unsized(
    made: Callable[Concatenate[Any, int, P], None],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Derive a lazy constructor from a layer's by dropping the first argument, a length, which is initially 0."""
    function = innermost(made)
    code = function.__code__
    size, *names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]

    def decorate(declared: Callable[..., None]) -> Callable[Concatenate[Any, P], None]:
        annotations = {name: function.__annotations__[name] for name in names}
        how = (LazyModuleMixin, names, {size: 0})
        init = constructor(
            how, annotations, function.__defaults__, sys._getframe(1), function.__globals__, code.co_kwonlyargcount
        )
        init.__kwdefaults__ = function.__kwdefaults__
        init.__qualname__, init.__module__ = declared.__qualname__, declared.__module__
        return init

    return decorate


class Lazy(LazyModuleMixin):
    """Base class of the lazy layers in this package; it precedes the class that the layer becomes.

    The class keyword `becomes` sets `cls_to_become`.
    """

    def __init_subclass__(cls, becomes: type[Module] | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.cls_to_become = becomes or cls.cls_to_become

    def reset_parameters(self) -> None:
        """Initialize the parameters if they have shapes."""
        if not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]


@boundary
class LazyLinear(Lazy, Linear, becomes=Linear):
    """`Linear` that infers `in_features` on its first call, and then becomes a `Linear`.

    Arguments:
        out_features: the length of the results.
        bias: whether to add a bias.
        device: the parameters' device.
        dtype: the parameters' dtype.

    >>> from facula_tensor import ones
    >>> layer = LazyLinear(2)
    >>> layer(ones(5, 3)).shape, layer
    (facula.Size([5, 2]), Linear(in_features=3, out_features=2, bias=True))
    """

    @unsized(Linear.__init__)
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def initialize_parameters(self, input: Tensor) -> None:
        """Set `in_features` to the last dimension of `input`."""
        check_input("LazyLinear", input)
        self.in_features = input.shape[-1] if input.ndim else 0
        self._take_shapes(weight=(self.out_features, self.in_features), bias=(self.out_features,))
