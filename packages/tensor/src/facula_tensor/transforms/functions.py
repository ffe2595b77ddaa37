"""Transforms that return derivatives as functions: `grad`, `vjp`, `jvp` and `linearize`."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from facula_autograd import GradientError, enable_grad
from facula_autograd.extend import check_callable, pair_of, per_argument, places_of, put_together, with_arguments
from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import call_inside
from .._dispatch.namespaces import no_record_ops
from .dual import DualLevel, fitted
from .grad import GradLevel, differentiable
from .linear import LinearLevel
from .plain import PlainTape, serves
from .trees import map_tensors, tensors_like, tensors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_autograd.extend import Argnums

    from .trees import Tree


class Pulled:
    """A call of a function at the level of a gradient: its results, and their gradients with respect to arguments.

    Arguments:
        operation: the prefix of error messages.
        func: the function.
        args: its positional arguments.
        argnums: the positions of the arguments to differentiate with respect to; all if None.
        kwargs: its keyword arguments.
        has_aux: whether it returns a pair whose second part is returned unchanged.
        level: the level that records; by default the ordinary tape (`plain.py`) if it can compute the gradient,
            otherwise a new level.
    """

    def __init__(
        self,
        operation: str,
        func: Callable[..., Tree],
        args: Sequence[Tree],
        argnums: Argnums | None = None,
        kwargs: dict[str, Any] | None = None,
        has_aux: bool = False,
        level: GradLevel | PlainTape | None = None,
    ):
        check_callable(operation, func)
        self.operation = operation
        places = range(len(args)) if argnums is None else places_of(operation, argnums, len(args))
        by = tuple([args[place] for place in places])
        points, self.in_shape = tensors_of(operation, "the arguments to differentiate by", by)
        for one in points:
            if not differentiable(one):
                raise InvalidTypeError(
                    f"{operation}: expected floating or complex tensors to differentiate by; got "
                    f"{show(layout_of_tensor(one))}"
                )
        self.level: GradLevel | PlainTape = level or (PlainTape() if serves(points) else GradLevel())
        self.points = points
        with enable_grad():
            self.leaves = [self.level.leaf(one) for one in points]
            arguments = put_together(self.in_shape, [self.level.argument(one) for one in self.leaves])
            found = call_inside(self.level, func, *with_arguments(args, places, arguments), **(kwargs or {}))
        found, aux = pair_of(operation, found) if has_aux else (found, None)
        self.outputs, self.out_shape = tensors_of(operation, "what the function returns", found)
        self.aux = map_tensors(self.level.value, aux) if has_aux else None

    def values(self) -> list[Tensor]:
        """The results."""
        return [self.level.value(one) for one in self.outputs]

    def pull(
        self,
        cotangents: Sequence[Tensor],
        record: bool | None = None,
        retain: bool = True,
        *,
        outputs: Sequence[Tensor] | None = None,
        required: str | None = None,
    ) -> list[Tensor]:
        """Return the gradients of the arguments; zeros for those that the results do not depend on.

        Arguments:
            cotangents: the gradients of the results.
            record: whether enclosing transforms and tapes can differentiate them; by default according to the mode.
            retain: keep the graph for another pass.
            outputs: the values to start from instead of the results: some of them, or values computed from them.
            required: the name of the results in the error for results that do not depend on an argument; if None,
                the gradient is zero instead.
        """
        record = self.level.records if record is None else record
        outputs = self.outputs if outputs is None else outputs
        found = self.level.pull(outputs, cotangents, self.leaves, record=record, retain=retain)
        for place, g in enumerate(found if required else ()):
            if g is None:
                raise GradientError(
                    f"{self.operation}: expected {required} to depend on input {place}; it does not (strict=True)"
                )
        return [
            no_record_ops.zeros_like(point) if g is None else g for g, point in zip(found, self.points, strict=True)
        ]

    def push(
        self, tangents: Sequence[Tensor], level: GradLevel | PlainTape, record: bool, required: str | None = None
    ) -> list[Tensor]:
        """Return the tangents of the results: the derivative of `pull`, which is linear in the cotangents.

        Arguments:
            tangents: the tangents of the arguments.
            level: the level that records `pull`.
            record: whether enclosing transforms and tapes can differentiate the result.
            required: as for `pull`.
        """
        values = self.values()
        cotangents = [level.leaf(no_record_ops.zeros_like(value)) for value in values]

        def pushed() -> list[Tensor | None]:
            return level.pull(self.pull(cotangents, True, required=required), tangents, cotangents, record=record)

        with enable_grad():
            found = call_inside(level, pushed)
        return [no_record_ops.zeros_like(v) if one is None else one for v, one in zip(values, found, strict=True)]


@boundary
def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `func`.

    The gradient has the structure of the argument (tuples, lists and dicts of tensors). If `argnums` is a tuple, it is
    a tuple of gradients. The returned function can be differentiated and transformed. `no_grad` inside `func` disables
    gradients there; `no_grad` around the call only means that the result is not recorded.

    Arguments:
        func: a function that returns a zero-dimensional tensor.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); the result is then a pair (gradient, aux).

    >>> from facula_tensor import tensor
    >>> grad(lambda x: x**3)(tensor(2.0))
    tensor(12.)
    >>> grad(grad(lambda x: x**3))(tensor(2.0))
    tensor(12.)
    """
    both = _grad_and_value("grad", func, argnums, has_aux)

    @_named_like(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(args, kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


@boundary
def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the pair (gradient, value) of `func`.

    Arguments:
        func: a function that returns a zero-dimensional tensor.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); that pair then replaces the value.

    >>> from facula_tensor import tensor
    >>> grad_and_value(lambda x: x * x)(tensor(3.0))
    (tensor(6.), tensor(9.))
    """
    both = _grad_and_value("grad_and_value", func, argnums, has_aux)
    return _named_like(func)(lambda *args, **kwargs: both(args, kwargs))


@boundary
def value_and_grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the pair (value, gradient) of `func`, in the order of JAX.

    Arguments:
        func: a function that returns a zero-dimensional tensor.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); that pair then replaces the value.

    >>> from facula_tensor import tensor
    >>> value_and_grad(lambda x: x * x)(tensor(3.0))
    (tensor(9.), tensor(6.))
    """
    both = _grad_and_value("value_and_grad", func, argnums, has_aux)
    return _named_like(func)(lambda *args, **kwargs: both(args, kwargs)[::-1])


def _grad_and_value(
    operation: str, func: Callable[..., Any], argnums: Argnums, has_aux: bool
) -> Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, Any]]:
    """Return a function that computes gradient and value, for `grad` and its variants."""
    check_callable(operation, func)

    def both(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        called = Pulled(operation, func, args, argnums, kwargs, has_aux)
        values = called.values()
        if called.out_shape.kind is not None or values[0].ndim or values[0].is_complex():
            got = show(layout_of_tensor(values[0])) if called.out_shape.kind is None else f"{called.out_shape}"
            raise ArgumentError(
                f"{operation}: expected the function to return one real number, a tensor without dimensions; got "
                f"{got}; take its sum() or mean()"
            )
        found = called.pull([no_record_ops.ones_like(values[0])], retain=False)
        gradient = put_together(called.in_shape, found)
        return per_argument(argnums, gradient), (values[0], called.aux) if has_aux else values[0]

    return both


def _named_like(func: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for a transformed `func`, which names it after `func` and marks it as public."""
    return lambda made: boundary(wraps(func)(made)) if hasattr(func, "__name__") else boundary(made)


@boundary
def vjp(func: Callable[..., Tree], *primals: Tree, has_aux: bool = False) -> Any:
    """Return the output of `func` at `primals`, and a function that computes vector-Jacobian products.

    The function, `pull`, takes cotangents with the structure of the output. It returns a tuple of gradients, one with
    the structure of each primal. It can be called repeatedly, and its results can be differentiated.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        primals: its arguments: tensors, or tuples, lists and dicts of tensors.
        has_aux: whether `func` returns a pair (output, aux); the result is then (output, pull, aux).

    >>> from facula_tensor import tensor
    >>> output, pull = vjp(lambda x, y: x * y, tensor(2.0), tensor(3.0))
    >>> output, pull(tensor(1.0))
    (tensor(6.), (tensor(3.), tensor(2.)))
    """
    called = Pulled("vjp", func, primals, None, None, has_aux, GradLevel())
    values = called.values()

    @boundary
    def pull(*cotangents: Tree, retain_graph: bool = True, create_graph: bool | None = None) -> tuple[Tree, ...]:
        """Return the gradients of the primals.

        Arguments:
            cotangents: the gradient of the output, with its structure, converted to its dtype; for a tuple, its
                entries may be passed separately.
            retain_graph: keep saved tensors for another call.
            create_graph: whether enclosing transforms and tapes can differentiate the gradients; by default according
                to the mode.
        """
        given = tensors_like(
            "vjp", "the cotangents", cotangents if len(cotangents) > 1 else cotangents[0], called.out_shape
        )
        given = [fitted("vjp", value, g, ("output", "cotangent")) for value, g in zip(values, given, strict=True)]
        return put_together(called.in_shape, called.pull(given, create_graph, retain_graph))

    output = put_together(called.out_shape, values)
    return (output, pull, called.aux) if has_aux else (output, pull)


@boundary
def jvp(
    func: Callable[..., Tree],
    primals: tuple[Tree, ...],
    tangents: tuple[Tree, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return the output of `func` at `primals` and its tangent for `tangents`, computed by forward mode.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        primals: a tuple of its arguments.
        tangents: a tuple of their tangents with the same structure; each is converted to the dtype of its primal.
        strict: raise an error if an output does not depend on the primals, instead of returning a tangent of zeros.
        has_aux: whether `func` returns a pair (output, aux); the result is then (output, tangent, aux).

    >>> from facula_tensor import tensor
    >>> jvp(lambda x: x**3, (tensor(2.0),), (tensor(1.0),))
    (tensor(8.), tensor(12.))
    """
    check_callable("jvp", func)
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple) or not given:
            raise InvalidTypeError(f"jvp: expected {name} to be a tuple of arguments; got {type(given).__name__}")
    points, shape = tensors_of("jvp", "the primals", primals)
    along = tensors_like("jvp", "the tangents", tangents, shape)
    along = [fitted("jvp", point, tangent) for point, tangent in zip(points, along, strict=True)]
    level = DualLevel()
    pairs = [level.make(point, tangent) for point, tangent in zip(points, along, strict=True)]
    found = call_inside(level, func, *put_together(shape, pairs))
    found, aux = pair_of("jvp", found) if has_aux else (found, None)
    outputs, out_shape = tensors_of("jvp", "what the function returns", found)
    slopes = []
    for place, out in enumerate(outputs):
        slope = level.tangent(out)
        if slope is None and strict:
            raise GradientError(
                f"jvp: expected outputs that depend on the primals; output {place} does not (strict=True)"
            )
        slopes.append(no_record_ops.zeros_like(out) if slope is None else slope)
    output = put_together(out_shape, [level.value(one) for one in outputs])
    tangent = put_together(out_shape, slopes)
    return (output, tangent, map_tensors(level.value, aux)) if has_aux else (output, tangent)


@boundary
def linearize(func: Callable[..., Tree], *primals: Tree) -> tuple[Tree, Callable[..., Tree]]:
    """Return the output of `func` at `primals`, and a function that computes tangents of the output.

    The function, `push(*tangents)`, can be called repeatedly. Each call makes two passes over the recorded graph and
    does not call `func` again. `func` may change tensors in place; values that its derivative needs are copied before.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        primals: its arguments: tensors, or tuples, lists and dicts of tensors.

    >>> from facula_tensor import tensor
    >>> output, push = linearize(lambda x: x**3, tensor(2.0))
    >>> output, push(tensor(1.0)), push(tensor(2.0))
    (tensor(8.), tensor(12.), tensor(24.))
    """
    called = Pulled("linearize", func, primals, level=LinearLevel())

    @boundary
    def push(*tangents: Tree) -> Tree:
        """Return the tangent of the output.

        Arguments:
            tangents: one tangent for each primal, with its structure.
        """
        along = tensors_like("linearize", "the tangents", tangents, called.in_shape)
        along = [fitted("linearize", point, tangent) for point, tangent in zip(called.points, along, strict=True)]
        level = GradLevel()
        level.records = called.level.records
        return put_together(called.out_shape, called.push(along, level, level.records))

    return put_together(called.out_shape, called.values()), push
