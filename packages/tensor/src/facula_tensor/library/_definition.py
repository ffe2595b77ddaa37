"""`CustomOpDef`: an operator on whole tensors, and the registrations that complete it."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar

from facula_autograd import is_grad_enabled, no_grad
from facula_autograd.extend.transforms import LEAF_SHAPE, take_apart
from facula_errors import ArgumentError, FaculaError, InvalidTypeError, OperationError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Device

from .._core.memory import check_writable
from .._core.tensor import Tensor
from .._core.wrapped import LevelLayout, is_variable
from .._dispatch.overrides import call_torch_function, overridden
from ._arguments import Arguments
from ._calls import Call
from ._function import function_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_autograd.extend.transforms import Shape

    from ._arguments import Args, Named

    F = TypeVar("F", bound=Callable[..., Any])
    Op = TypeVar("Op", bound="CustomOpDef")

operators_by_name: dict[str, CustomOpDef] = {}  # by qualified name, for example "mylib::square"
# Registrations for operators that are not defined yet, by qualified name: a method of CustomOpDef and its arguments.
pending: dict[str, list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]] = {}


class CustomOpDef:
    """An operator on whole tensors; `register_autograd` gives it a gradient.

    Arguments:
        name: the name in errors and graphs.
        function: the function of plain tensors and other arguments, which returns tensors.
        arguments: the arguments of the function.
        device_types: the types of devices that the function supports; all if None.
    """

    composite: Callable[..., Any] | None = None  # used on devices without a function

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        arguments: Arguments,
        device_types: tuple[str, ...] | None = None,
    ):
        self.name, self.arguments, self.__signature__ = name.rpartition("::")[2], arguments, arguments.signature
        self.kernels: dict[str | None, Callable[..., Any]] = dict.fromkeys(
            (None,) if device_types is None else device_types, function
        )
        self.fake: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.batch_rule: Callable[..., Any] | None = None
        self.results: Shape = LEAF_SHAPE  # tree structure of the last call's results
        self._function = function_class(self.name)

        def public(*args: Any, **kwargs: Any) -> Any:
            return self(*args, **kwargs)

        self._public = update_wrapper(public, function)  # passed to classes that override operators
        public.__name__ = self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            args, named = self.arguments.bind(self.name, args, kwargs)
            if self.composite is not None and not self.kernels:
                return self.composite(*args, **named)
            leaves, shape = take_apart((args, named))
            tensors = tuple([leaf for leaf in leaves if isinstance(leaf, Tensor)])
            if overridden(tensors):
                return call_torch_function(self.name, self._public, args, named, tensors)
            if named or self.arguments.changed:
                self._check(args, named)
            call = Call(self, shape)
            if any([is_variable(tensor) for tensor in tensors]):
                outputs: Args = self._function.apply_with_context((call, *leaves), {})[0]
            else:
                with no_grad():
                    outputs = call.compute(tuple(leaves))
            return call.result(outputs, leaves)
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _check(self, args: Args, named: Named) -> None:
        """Check the mutated arguments and the keyword-only arguments."""
        changed = self.arguments.tensors_changed(self.name, args, named)
        for tensor in changed:
            check_change(self.name, tensor)
        for argument, value in named.items():
            if argument not in self.arguments.changed and any(
                [isinstance(leaf, Tensor) for leaf in take_apart(value)[0]]
            ):
                raise InvalidTypeError(
                    f"{self.name}: expected tensors that can be given by position, unless mutates_args names them; got "
                    f"one for '{argument}', which is keyword-only"
                )

    def kernel_for(self, tensors: Sequence[Tensor], named: Named) -> Callable[..., Any]:
        """Return the function for the device of these tensors; without tensors, for the `device` argument."""
        device = tensors[0].device if tensors else Device(named.get("device") or "cpu")
        if device.type == "meta":
            if self.fake is None:
                raise UnsupportedError(
                    f"{self.name}: it has no function for the meta device; add one with register_fake"
                )
            return self.fake
        kernel = self.kernels.get(device.type) or self.kernels.get(None)
        if kernel is None:
            served = ", ".join([str(place) for place in self.kernels]) or "no device"
            raise UnsupportedError(
                f"{self.name}: has a function for {served}, and none for {device.type}; give it one by register_kernel"
            )
        return kernel

    # ------------------------------------------------------------------------------------------------- registrations
    @boundary
    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register the operator's gradient.

        `backward(ctx, *grads)` receives one gradient for each result: a list for a list of tensors, None for a result
        that is not a tensor. It returns one gradient for each positional argument: None for arguments without one, a
        list for a list of tensors. If `backward` uses facula's operators, it can be differentiated again, and forward
        mode follows from it. If it calls another operator made by `numpy_op` or `native_op`, it is as differentiable as
        that operator.

        Arguments:
            backward: the function. `ctx` is the context of a `Function`.
            setup_context: `setup_context(ctx, inputs, output)` saves the values that `backward` needs, by
                `ctx.save_for_backward` and as attributes; for an operator with keyword-only arguments it is
                `setup_context(ctx, inputs, keyword_only_inputs, output)`.

        Raises:
            RuntimeError: the operator modifies an argument in place.
        """
        for what, function in (("backward", backward), ("setup_context", setup_context)):
            if not callable(function) and not (function is None and what == "setup_context"):
                raise InvalidTypeError(
                    f"register_autograd: expected {what} to be a function; got {type(function).__name__}"
                )
        if self.arguments.changed:
            raise OperationError(
                f"register_autograd: expected an operator that changes no argument in place; {self.name} does "
                "(mutates_args). Give the gradient to one that returns a new tensor"
            )
        self.backward, self.setup_context = backward, setup_context

    @boundary
    def register_fake(self, function: F, /) -> F:
        """Register a function that returns empty tensors with the shapes and dtypes of the results.

        The operator calls it for tensors on the meta device, which have no elements, and returns its results. `opcheck`
        compares it with the operator.

        Arguments:
            function: accepts the operator's arguments.
        """
        self.fake = _callable("register_fake", function)
        return function

    @boundary
    def register_vmap(self, function: F, /) -> F:
        """Register a batching rule for `vmap`; without one the operator runs once for each element of the batch.

        `function(info, in_dims, *args, **kwargs)` receives the operator's arguments; batched ones have an additional
        dimension. It returns a pair (output, out_dims). `info` has `batch_size` and `randomness`. `in_dims` has the
        position of the batch dimension for each positional argument, or None; `out_dims` has the same for the results.

        Arguments:
            function: the rule.
        """
        self.batch_rule = _callable("register_vmap", function)
        return function

    @boundary
    def register_kernel(
        self, device_types: str | Sequence[str] | None, function: Callable[..., Any] | None = None, /
    ) -> Any:
        """Register the function that computes the operator on devices of these types.

        Arguments:
            device_types: for example "cpu" or "cuda", or a list of types; None for all without a function of their own.
                Functions for unavailable devices are accepted and never called.
            function: accepts the operator's arguments; if omitted, `register_kernel` returns a decorator.
        """
        types = device_types_of("register_kernel", device_types)
        if function is None:
            return lambda given: self.register_kernel(device_types, given)
        self.kernels.update(dict.fromkeys(types or (None,), _callable("register_kernel", function)))
        return function

    @boundary
    def register_composite(self, function: F, /) -> F:
        """Register a composition: `function` calls other operators, whose gradients then apply.

        It is used on devices for which the operator has no function.

        Arguments:
            function: accepts the operator's arguments.
        """
        self.composite = _callable("register_composite", function)
        return function

    @property
    def default(self) -> CustomOpDef:
        """The operator itself: the name that PyTorch gives to the only overload."""
        return self

    def overloads(self) -> list[str]:
        """Return the names of the overloads: ["default"]."""
        return ["default"]

    def __repr__(self) -> str:
        return f"<operator {self.name}{self.__signature__}>"


def check_change(name: str, tensor: Any) -> None:
    """Check that an operator without a gradient may modify a tensor in place."""
    wanted = is_grad_enabled()
    while True:
        layout = tensor._layout
        if (tensor.node is not None and wanted) or getattr(layout, "tangent", None) is not None:
            raise OperationError(
                f"{name}: changes in place a tensor of which a gradient or a tangent is wanted, and has none; use "
                "no_grad() around it, or give it a detached clone()"
            )
        if not isinstance(layout, LevelLayout):
            break
        tensor = layout.level.value(tensor)
    check_writable(name, tensor)


def _callable(operation: str, function: Any) -> Callable[..., Any]:
    """Return the function; TypeError if it is not callable."""
    if not callable(function):
        raise InvalidTypeError(f"{operation}: expected a function; got {type(function).__name__}")
    made: Callable[..., Any] = function
    return made


def device_types_of(operation: str, given: object) -> tuple[str, ...] | None:
    """Return device types as a tuple; None stands for all."""
    if given is None:
        return None
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, (tuple, list, set)) or not names:
        raise InvalidTypeError(
            f"{operation}: expected device_types to be a name, a list of names or None; got {given!r}"
        )
    types = tuple([Device(name).type for name in names])
    if "meta" in types:
        raise ArgumentError(f"{operation}: expected device_types without 'meta'; use register_fake for that device")
    return types


def create_operator(
    operation: str, name: object, function: Callable[..., Any], make: Callable[[str], CustomOpDef]
) -> CustomOpDef:
    """Create an operator with `make`, register it under its name and copy the function's docstring.

    Arguments:
        operation: the prefix of error messages.
        name: the qualified name, for example "mylib::square".
        function: the user's function.
        make: creates the operator.
    """
    if not isinstance(name, str) or not name.rpartition("::")[2].isidentifier():
        raise ArgumentError(f"{operation}: expected a name such as 'mylib::square'; got {name!r}")
    made = make(name)
    signature = made.__signature__
    update_wrapper(made, function)
    made.__signature__ = signature
    return register_operator(name, made)


def register_operator(name: str, made: Op) -> Op:
    """Add an operator to the registry, apply the registrations that preceded it, and return it."""
    operators_by_name[name] = made
    for method, args, options in pending.pop(name, ()):
        method(made, *args, **options)
    return made
