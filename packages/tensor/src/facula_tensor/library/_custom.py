"""Operators on whole tensors, made of functions: `custom_op` and `numpy_op`, with the gradients that they are given."""

from __future__ import annotations

from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from facula_autograd import enable_grad, no_grad
from facula_errors import ArgumentError, FaculaError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, meta

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._creation.filled import zeros
from .._creation.from_data import from_numpy
from .._creation.strided import empty_strided
from .._dispatch.declaration import make_calls
from .._dispatch.namespaces import no_record_ops
from .._dispatch.operator import Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core.types import Edges, Operands, Parameters
    from .._dispatch.namespaces import Namespace

known: dict[str, CustomOpDef] = {}  # by qualified name


class Context:
    """What `setup_context` and `backward` share: values saved, and which arguments want a gradient.

    Attributes of one's own may be set. `needs_input_grad` has a bool for each argument.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]):
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Tensor | None, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, which finds them in `saved_tensors`."""
        self.saved_tensors = tensors


class CustomOpDef:
    """An operator on whole tensors: called as its function is, with a gradient once `register_autograd` gave one.

    Arguments:
        name: by which errors and graphs call it.
        function: of plain tensors and constants, giving one tensor.
        parameters: the signature.
    """

    def __init__(self, name: str, function: Callable[..., Tensor], parameters: Signature):
        self.name, self.function, self.__signature__ = name.rpartition("::")[2], function, parameters
        self.fake: Callable[..., Tensor] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.operators: dict[tuple[bool, ...], Operator] = {}  # by which arguments are tensors

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        try:
            given = self._bind(args, kwargs)
            kinds = tuple([isinstance(one, Tensor) for one in given])
            op = self.operators.get(kinds)
            if op is None:
                op = self.operators[kinds] = self._operator(kinds)
            tensors = [one for one in given if isinstance(one, Tensor)]
            constants = tuple([None if isinstance(one, Tensor) else one for one in given])
            result: Tensor = op.library_call(*tensors, (constants,))
            return result
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the signature."""
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidTypeError(f"{self.name}: {error}; its signature is {self.name}{self.__signature__}") from None
        bound.apply_defaults()
        if not any([isinstance(one, Tensor) for one in bound.args]):
            raise InvalidTypeError(f"{self.name}: expected a tensor among the arguments; got none")
        return bound.args

    @boundary
    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Give the operator its gradient.

        `backward(ctx, grad)` gives a gradient for each argument, None for those without one. Written with facula's
        operators it can be differentiated in its turn, and forward mode follows from it; made of another operator by
        `numpy_op` or `native_op` it is as differentiable as that one is.

        Arguments:
            backward: the function.
            setup_context: `setup_context(ctx, inputs, output)` keeps what `backward` needs, by
                `ctx.save_for_backward`. It is called before `backward`, in the backward pass.
        """
        for what, one in (("backward", backward), ("setup_context", setup_context)):
            if not callable(one) and not (one is None and what == "setup_context"):
                raise InvalidTypeError(f"register_autograd: expected {what} to be a function; got {type(one).__name__}")
        self.backward, self.setup_context = backward, setup_context
        self.operators.clear()

    @boundary
    def register_fake(self, function: Callable[..., Tensor], /) -> Callable[..., Tensor]:
        """Say what the result looks like: `function` gives an empty tensor of its shape and dtype.

        It is called with tensors of the meta device, which have no elements, and is what the operator gives there.
        Every result is compared with it.

        Arguments:
            function: takes what the operator does.
        """
        if not callable(function):
            raise InvalidTypeError(f"register_fake: expected a function; got {type(function).__name__}")
        self.fake = function
        return function

    # ------------------------------------------------------------------------------------------------- the operator
    def _operator(self, kinds: tuple[bool, ...]) -> Operator:
        """The operator for calls in which the arguments of these places are tensors."""
        names = tuple([f"input{place}" for place, one in enumerate(kinds) if one])

        def execute(operands: Operands, parameters: Parameters) -> list[Tensor]:
            return [self._compute(merged(kinds, operands, parameters[0]))]

        body: dict[str, Any] = {
            "inputs": names,
            "parameters": ("constants",),
            "launch_scalars": ("constants",),  # no part of a plan
            "execute": execute,
            "__doc__": self.__doc__ or "",
            "__module__": self.function.__module__,
        }
        body["vjp_all"] = self._no_rule() if self.backward is None else self._rule(kinds, names)
        op = Operator(type(self.name, (), body), is_elementwise=False)
        op.public = make_calls(op)
        op.public.__name__ = self.name
        return op

    def _compute(self, given: tuple[Any, ...]) -> Tensor:
        """The result for plain tensors and constants, checked."""
        tensors = [one for one in given if isinstance(one, Tensor)]
        expected = self._expected(given)
        if tensors[0].device is meta:
            if expected is None:
                raise UnsupportedError(
                    f"{self.name}: what it gives on the meta device is not known; say it with register_fake"
                )
            return empty_strided(expected.shape, expected.strides, dtype=expected.dtype, device=meta)
        with no_grad():
            result = self.function(*[one.detach() if isinstance(one, Tensor) else one for one in given])
        if not isinstance(result, Tensor):
            raise InvalidTypeError(f"{self.name}: expected its function to give a tensor; got {type(result).__name__}")
        if any([result._storage is one._storage for one in tensors]):
            raise ArgumentError(f"{self.name}: its function returned an argument, or a view of one; return a clone()")
        found = layout_of_tensor(result)
        if expected is not None and (found.shape, found.dtype) != (expected.shape, expected.dtype):
            raise ArgumentError(
                f"{self.name}: register_fake said that the result is {show(expected)}; the function gave {show(found)}"
            )
        return result.detach()

    def _expected(self, given: tuple[Any, ...]) -> Layout | None:
        """What the result will look like, where that was said."""
        if self.fake is None:
            return None
        with no_grad():
            result = self.fake(
                *[no_record_ops.to_device(one, (meta,)) if isinstance(one, Tensor) else one for one in given]
            )
        if not isinstance(result, Tensor):
            raise InvalidTypeError(
                f"{self.name}: expected the function of register_fake to return a tensor; got {type(result).__name__}"
            )
        return layout_of_tensor(result)

    def _rule(self, kinds: tuple[bool, ...], names: tuple[str, ...]) -> Callable[..., Any]:
        """The vjp rule of all operands at once."""
        count = len(names)

        def rule(F: Namespace, g: Tensor, edges: Edges, constants: Any, *values: Any) -> list[Tensor | None]:
            wanted = [edge is not None for edge in edges]
            layouts, saved = values[:count], values[count:]
            with no_grad() if F is no_record_ops else enable_grad():
                ctx = Context(merged(kinds, wanted, (False,) * len(kinds)))
                if self.setup_context is not None:
                    self.setup_context(ctx, merged(kinds, saved[:-1], constants), saved[-1])
                assert self.backward is not None
                found = self._gradients(self.backward(ctx, g), kinds)
            return [
                self._checked(F, h, like) if one else None for h, like, one in zip(found, layouts, wanted, strict=True)
            ]

        asked = (*names, "out") if self.setup_context is not None else ()
        rule.asks = ("edges", "constants", *[f"{name}_layout" for name in names], *asked)  # type: ignore[attr-defined]
        return rule

    def _gradients(self, found: Any, kinds: tuple[bool, ...]) -> list[Tensor | None]:
        """The gradients of the tensors, of what `backward` returned."""
        given = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        if len(given) != len(kinds):
            raise ArgumentError(
                f"{self.name}: expected backward to return {len(kinds)} gradients, one an argument; got {len(given)}"
            )
        return [one for one, is_tensor in zip(given, kinds, strict=True) if is_tensor]

    def _checked(self, F: Namespace, gradient: Any, like: Layout) -> Tensor:
        """A gradient that looks like its operand; zeros for None."""
        if gradient is None:
            return zeros(like.shape, dtype=like.dtype, device=like.device)
        if not isinstance(gradient, Tensor):
            raise InvalidTypeError(
                f"{self.name}: expected backward to return tensors and None; got {type(gradient).__name__}"
            )
        found = layout_of_tensor(gradient)
        if found.shape != like.shape or found.device is not like.device:
            raise ArgumentError(
                f"{self.name}: expected backward to return a gradient like its argument {show(like)}; got {show(found)}"
            )
        converted: Tensor = gradient if found.dtype is like.dtype else F.to(gradient, (like.dtype,))
        return converted

    def _no_rule(self) -> Callable[..., Any]:
        """The rule where no gradient was given: an error."""

        def rule(F: Namespace, g: Tensor) -> NoReturn:
            raise UnsupportedError(
                f"{self.name}: '{self.name}' has no gradient; give it one by register_autograd, or detach its arguments"
            )

        return rule

    def __repr__(self) -> str:
        return f"<operator {self.name}{self.__signature__}>"


def merged(kinds: tuple[bool, ...], tensors: Any, constants: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tensors and constants in the order of the arguments."""
    rest = iter(tensors)
    return tuple([next(rest) if kind else one for kind, one in zip(kinds, constants, strict=True)])


def signature_of(operation: str, function: Any) -> Signature:
    """The signature of a function; an error where it takes any number of arguments, or keywords alone."""
    if not callable(function):
        raise InvalidTypeError(f"{operation}: expected a function; got {type(function).__name__}")
    try:
        found = signature(function)
    except ValueError:
        raise InvalidTypeError(
            f"{operation}: expected a function whose arguments Python can tell; got {function!r:.60}; wrap it in one"
        ) from None
    for one in found.parameters.values():
        if one.kind not in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            raise ArgumentError(
                f"{operation}: expected a function whose arguments can be given by position; got {found}"
            )
    return found


def defined(operation: str, name: str, function: Callable[..., Tensor], parameters: Signature) -> CustomOpDef:
    """The operator, under its name."""
    if not isinstance(name, str) or not name.rpartition("::")[2].isidentifier():
        raise ArgumentError(f"{operation}: expected a name such as 'mylib::square'; got {name!r}")
    made = known[name] = CustomOpDef(name, function, parameters)
    update_wrapper(made, function)
    made.__signature__ = parameters
    return made


@boundary
def custom_op(
    name: str,
    fn: Callable[..., Tensor] | None = None,
    /,
    *,
    mutates_args: tuple[str, ...] | list[str] | str = (),
    device_types: str | tuple[str, ...] | None = None,
    schema: str | None = None,
) -> Any:
    """One operator of a function of tensors, which what happens inside does not show: `torch.library.custom_op`.

    The function gets plain tensors, which want no gradient, and returns a new one. Without `register_autograd` the
    operator has no gradient. Annotations are not needed.

    Arguments:
        name: as "mylib::square".
        fn: the function; without it, what is returned decorates one.
        mutates_args: none; operators that change an argument in place are not supported.
        device_types: "cpu", or None.
        schema: accepted for PyTorch's sake; the function's signature says it.

    Returns:
        A `CustomOpDef`, with `register_autograd` and `register_fake`.

    >>> from facula_tensor import tensor
    >>> @custom_op("mylib::square", mutates_args=())
    ... def square(x):
    ...     return x * x
    >>> square.register_autograd(
    ...     lambda ctx, grad: 2 * grad * ctx.saved_tensors[0],
    ...     setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    ... )
    >>> square(tensor([1.0, 3.0], requires_grad=True))
    tensor([1., 9.], grad_fn=<square>)
    """
    if mutates_args:
        raise UnsupportedError("custom_op: mutates_args is not supported; return a new tensor instead")
    if device_types not in (None, "cpu", ("cpu",), ["cpu"]):
        raise UnsupportedError(f"custom_op: expected device_types to be 'cpu' or None; got {device_types!r}")
    if fn is None:
        return lambda function: custom_op(name, function)
    return defined("custom_op", name, fn, signature_of("custom_op", fn))


@boundary
def numpy_op(function: Callable[..., Any], /) -> CustomOpDef:
    """One operator of a function of NumPy's arrays.

    The function gets the tensors' own memory, without a copy, as arrays that cannot be written, and returns an array or
    a number. Arguments that are no tensors are given as they are. Without `register_autograd` it has no gradient.

    Arguments:
        function: the function, whose name is the operator's.

    >>> import numpy as np
    >>> from facula_tensor import tensor
    >>> @numpy_op
    ... def unwrap(phase):
    ...     return np.unwrap(phase)
    >>> unwrap.register_autograd(lambda ctx, grad: grad)  # jumps are constant
    >>> unwrap(tensor([3.0, -3.0], requires_grad=True))
    tensor([3.0000, 3.2832], grad_fn=<unwrap>)
    """
    parameters = signature_of("numpy_op", function)
    name = getattr(function, "__name__", type(function).__name__).strip("<>")

    def of_tensors(*given: Any) -> Tensor:
        arrays = [read_only(one) if isinstance(one, Tensor) else one for one in given]
        result = np.asarray(function(*arrays), order="C")
        own = [one for one in arrays if isinstance(one, np.ndarray)]
        if not result.flags.writeable or any([np.may_share_memory(result, one) for one in own]):
            result = result.copy()
        try:
            return from_numpy(result)
        except FaculaError:
            raise InvalidTypeError(f"{name}: expected its function to return numbers; got {result.dtype}") from None

    update_wrapper(of_tensors, function)
    return defined("numpy_op", name, of_tensors, parameters)


def read_only(tensor: Tensor) -> np.ndarray[Any, Any]:
    """A tensor's memory as an array that cannot be written."""
    array: np.ndarray[Any, Any] = tensor.detach().numpy().view()
    array.flags.writeable = False
    return array


def operator_named(operation: str, op: object) -> CustomOpDef:
    """An operator, given by itself or by its name."""
    found = known.get(op) if isinstance(op, str) else op
    if not isinstance(found, CustomOpDef):
        raise ArgumentError(
            f"{operation}: expected an operator of custom_op, numpy_op or native_op, or its name; got {op!r}"
        )
    return found


@boundary
def register_autograd(
    op: CustomOpDef | str,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
) -> None:
    """Give an operator its gradient: `CustomOpDef.register_autograd`, as `torch.library.register_autograd`.

    Arguments:
        op: the operator, or its name.
        backward: `backward(ctx, grad)`, which gives a gradient for each argument.
        setup_context: `setup_context(ctx, inputs, output)`, which keeps what `backward` needs.
    """
    operator_named("register_autograd", op).register_autograd(backward, setup_context=setup_context)


@boundary
def register_fake(op: CustomOpDef | str, func: Callable[..., Tensor] | None = None, /) -> Any:
    """Say what an operator's result looks like: `CustomOpDef.register_fake`, as `torch.library.register_fake`.

    Arguments:
        op: the operator, or its name.
        func: gives an empty tensor of the result's shape and dtype; without it, what is returned decorates one.
    """
    found = operator_named("register_fake", op)
    return found.register_fake if func is None else found.register_fake(func)
