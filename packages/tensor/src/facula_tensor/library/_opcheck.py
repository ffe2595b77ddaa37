"""`opcheck`: check an operator's registrations on the caller's sample arguments."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd import grad
from facula_autograd.extend.transforms import put_together, take_apart
from facula_errors import ArgumentError, UnsupportedError
from facula_errors.extend import boundary
from facula_storage.extend.layouts import FLOATING

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from ._calls import on_meta
from ._registry import operator_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ._arguments import Args, Named
    from ._definition import CustomOpDef


@boundary
def opcheck(
    op: CustomOpDef | str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] | None = None,
    raise_exception: bool = True,
) -> dict[str, Any]:
    """Check an operator's registrations on some arguments, as `torch.library.opcheck`.

    The tests have PyTorch's names:

    * "test_schema": only the arguments of `mutates_args` change, and the results are new.
    * "test_autograd_registration": if an argument requires a gradient, `backward` returns gradients that fit.
    * "test_faketensor": `register_fake` returns tensors with the layouts of the results.
    * "test_aot_dispatch_dynamic", PyTorch's test of everything, is the matrix of
      `facula_tensor.testing.check_operator` on samples with the arguments' layouts: memory layouts, batching and, for
      float64 arguments that require gradients, first and second derivatives and forward mode. It skips operators that
      modify an argument, that take no floating tensors, or whose floating tensors have several dtypes.

    Arguments:
        op: the operator or its name.
        args: the positional arguments.
        kwargs: the keyword arguments.
        test_utils: the names of the tests to run; all if None.
        raise_exception: whether to raise the error of the first failed test.

    Returns:
        A dict with "SUCCESS" for each test, or the error if `raise_exception` is False.

    Raises:
        AssertionError: a test failed.

    >>> from facula_tensor import ones
    >>> from facula_tensor.library import custom_op, opcheck
    >>> double = custom_op("mylib::double", lambda x: x * 2, mutates_args=())
    >>> opcheck(double, (ones(3),), test_utils="test_schema")
    {'test_schema': 'SUCCESS'}
    """
    found = operator_named("opcheck", op)
    names = tuple(TESTS) if test_utils is None else (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    for name in names:
        if name not in TESTS:
            raise ArgumentError(f"opcheck: expected test_utils among {', '.join(TESTS)}; got {name!r}")
    answers: dict[str, Any] = {}
    for name in names:
        answers[name] = "SUCCESS"
        try:
            TESTS[name](found, *found.arguments.bind(found.name, tuple(args), dict(kwargs or {})))
        except Exception as error:
            if raise_exception:
                raise
            answers[name] = error
    return answers


def _failed(op: CustomOpDef, test: str, message: str) -> AssertionError:
    from ..testing._comparing import CheckError  # imports all of `testing`, so only at first use

    return CheckError(f"opcheck: {op.name}: {test}: {message}")


def _tensors_in(tree: Any) -> list[Tensor]:
    return [value for value in take_apart(tree)[0] if isinstance(value, Tensor)]


def _copied_arguments(args: Args, named: Named) -> tuple[Args, Named]:
    """Copy the arguments, so that a test may modify them."""
    leaves, shape = take_apart((args, named))
    copies: tuple[Args, Named] = put_together(
        shape, [leaf.detach().clone() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
    )
    return copies


def _check_schema(op: CustomOpDef, args: Args, named: Named) -> None:
    args, named = _copied_arguments(args, named)
    changed = {id(tensor) for tensor in op.arguments.tensors_changed(op.name, args, named)}
    kept = [(tensor, tensor.numpy().copy()) for tensor in _tensors_in((args, named)) if id(tensor) not in changed]
    op(*args, **named)  # the call checks results and versions
    for tensor, before in kept:
        if not np.array_equal(tensor.numpy(), before, equal_nan=before.dtype.kind in "fc"):
            raise _failed(
                op,
                "test_schema",
                f"expected its function to change no argument but those of mutates_args; it changed the argument "
                f"{show(layout_of_tensor(tensor))}",
            )


def _check_autograd(op: CustomOpDef, args: Args, named: Named) -> None:
    points = [tensor for tensor in _tensors_in(args) if tensor.requires_grad]
    if not points or op.backward is None:
        return
    results = [tensor for tensor in _tensors_in((op(*args, **named),)) if tensor.requires_grad]
    if not results:
        raise _failed(op, "test_autograd_registration", "expected a result that requires a gradient, as arguments do")
    grad([result.sum() for result in results], points, allow_unused=True)


def _check_fake(op: CustomOpDef, args: Args, named: Named) -> None:
    args, named = _copied_arguments(args, named)
    leaves, shape = take_apart((args, named))
    fake_args, fake_named = put_together(shape, [on_meta(leaf) for leaf in leaves])
    wanted, wanted_shape = take_apart(op(*args, **named))
    if wanted == [None]:
        return
    given, given_shape = take_apart(op(*fake_args, **fake_named))
    if given_shape != wanted_shape:
        raise _failed(
            op, "test_faketensor", f"register_fake returned {given_shape}; the function returned {wanted_shape}"
        )
    for fake, real in zip(given, wanted, strict=True):
        if isinstance(real, Tensor) and (not isinstance(fake, Tensor) or _metadata(fake) != _metadata(real)):
            got = show(layout_of_tensor(fake)) if isinstance(fake, Tensor) else type(fake).__name__
            raise _failed(
                op,
                "test_faketensor",
                f"register_fake said that a result is {got}; the function gave {show(layout_of_tensor(real))}",
            )


def _metadata(tensor: Tensor) -> tuple[object, ...]:
    return tuple(tensor.shape), tensor.dtype, tensor.stride()


def _check_matrix(op: CustomOpDef, args: Args, named: Named) -> None:
    from ..testing import Samples, check_operator
    from ..testing._operands import values_of

    leaves, shape = take_apart((args, named))
    places = [
        place for place, leaf in enumerate(leaves)
        if isinstance(leaf, Tensor) and layout_of_tensor(leaf).dtype.category == FLOATING
    ]  # fmt: skip
    points = [leaves[place] for place in places]
    dtypes = {point.dtype.name for point in points}
    if op.arguments.changed or len(dtypes) != 1:
        return
    (dtype,) = dtypes
    values = np.concatenate([values_of(point).ravel() for point in points])
    derived = dtype == "float64" and op.backward is not None and any([point.requires_grad for point in points])
    again = derived and _is_twice_differentiable(op, args, named)

    def function_for(place: int) -> Callable[..., Tensor]:
        def function(*tensors: Tensor) -> Tensor:
            given = list(leaves)
            for at, tensor in zip(places, tensors, strict=True):
                given[at] = tensor
            by_position, by_name = put_together(shape, given)
            result: Tensor = take_apart(op(*by_position, **by_name))[0][place]
            return result

        function.__name__ = op.name
        return function

    for place, result in enumerate(take_apart(op(*args, **named))[0]):
        if not isinstance(result, Tensor):
            continue
        function, name = function_for(place), result.dtype.name
        floating = layout_of_tensor(result).dtype.category == FLOATING
        samples = Samples(
            arity=len(points),
            shapes=tuple([tuple(point.shape) for point in points]),
            dtypes=(dtype,),
            result=lambda _, name=name: name,  # type: ignore[misc]  # mypy: the default
            domain=(float(values.min()), float(values.max())) if values.size else (-3.0, 3.0),
            gradient=("float64",) if derived and floating else (),
            second=again,
            forward_mode=again,
            meta=op.fake is not None,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a batch runs one by one
            check_operator(function, samples, reference=_reference(function, dtype))


def _reference(function: Callable[..., Tensor], dtype: str) -> Callable[..., Any]:
    """Return the function applied to contiguous tensors of its dtype: samples differ from them in memory layout."""

    from ..testing._operands import make, values_of

    return lambda *arrays: values_of(function(*[make(array, dtype) for array in arrays]))


def _is_twice_differentiable(op: CustomOpDef, args: Args, named: Named) -> bool:
    """Return whether the gradient can be differentiated; a gradient computed in NumPy cannot."""
    points = [tensor for tensor in _tensors_in(args) if tensor.requires_grad]
    results = [tensor.sum() for tensor in _tensors_in((op(*args, **named),)) if tensor.requires_grad]
    try:
        first = grad(results, points, create_graph=True, allow_unused=True)
        again = [tensor.sum() for tensor in first if tensor is not None and tensor.requires_grad]
        if again:
            grad(again, points, allow_unused=True)
    except UnsupportedError:
        return False
    return True


TESTS: dict[str, Callable[[CustomOpDef, Args, Named], None]] = {
    "test_schema": _check_schema,
    "test_autograd_registration": _check_autograd,
    "test_faketensor": _check_fake,
    "test_aot_dispatch_dynamic": _check_matrix,
}
