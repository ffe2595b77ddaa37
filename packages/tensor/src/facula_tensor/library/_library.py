"""`Library`: operators declared by schemas, with functions for devices, as in `torch.library.Library`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError, OperationError, UnsupportedError
from facula_errors.extend import boundary

from ._arguments import Arguments
from ._definition import CustomOpDef, create_operator, operators_by_name
from ._registry import register_or_defer
from ._schema import parsed_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KINDS = ("DEF", "IMPL", "FRAGMENT")
DEVICES = {"CPU": "cpu", "CUDA": "cuda", "MPS": "mps", "XPU": "xpu", "CompositeExplicitAutograd": None}


class Library:
    """A collection of operators in one namespace. Registrations outlive the library object.

    Arguments:
        ns: the namespace, for example "mylib" in "mylib::square".
        kind: "DEF" or "FRAGMENT" to define operators; "IMPL" to implement existing operators only.
        dispatch_key: the default key of `impl`.

    >>> from facula_tensor import ones
    >>> library = Library("readme", "DEF")
    >>> library.define("double(Tensor x) -> Tensor")
    'double'
    >>> library.impl("double", lambda x: x + x, "CPU")
    >>> operators_by_name["readme::double"](ones(2))
    tensor([2., 2.])
    """

    @boundary
    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in KINDS:
            raise ArgumentError(f"Library: expected kind to be one of {', '.join(KINDS)}; got {kind!r}")
        if ns in ("aten", "prim", "prims"):
            raise UnsupportedError(f"Library: the operators of '{ns}' are facula's own; use another namespace")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    @boundary
    def define(self, schema: str, alias_analysis: str = "", *, tags: object = ()) -> str:
        """Define an operator, and return its name.

        Arguments:
            schema: for example `"square(Tensor x) -> Tensor"`; `Tensor(a!) x` marks an argument modified in place.
            alias_analysis, tags: accepted for PyTorch compatibility and ignored.

        Raises:
            RuntimeError: the operator already exists, or the library is of the kind "IMPL".
        """
        if self.kind == "IMPL":
            raise OperationError("Library.define: expected a library of the kind 'DEF' or 'FRAGMENT'; got 'IMPL'")
        return define_operator("Library.define", self.ns, schema)

    @boundary
    def impl(
        self,
        op_name: str | CustomOpDef,
        fn: Callable[..., Any],
        dispatch_key: Any = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Register the function of an operator.

        Arguments:
            op_name: the operator, or its name without the namespace.
            fn: the function.
            dispatch_key: "CPU", "CUDA", "MPS" or "XPU" for a device type; "CompositeExplicitAutograd" for every device;
                "Meta" for a function as in `register_fake`; "CompositeImplicitAutograd", the default, for a function
                that calls other operators, whose gradients apply.
            with_keyset: must be False: key sets are not supported.
            allow_override: accepted for PyTorch compatibility; a later function always replaces an earlier one.

        Raises:
            NotImplementedError: the key is not supported.
        """
        if with_keyset:
            raise UnsupportedError("Library.impl: expected with_keyset=False; functions get the arguments alone")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        name = op_name if not isinstance(op_name, str) or "::" in op_name else f"{self.ns}::{op_name}"
        _implement("Library.impl", name, getattr(key, "name", key), fn)


def define_operator(operation: str, namespace: str, schema: str) -> str:
    """Define the operator of a schema and return its name."""
    name, signature, changed = parsed_schema(operation, schema)
    whole = f"{namespace}::{name}"
    if whole in operators_by_name:
        raise OperationError(f"{operation}: expected a name that is not in use; got '{whole}', which is defined")

    def function(*args: Any, **kwargs: Any) -> None:
        """Carry the name and the signature of the operator until it is implemented."""

    function.__signature__ = signature  # type: ignore[attr-defined]
    arguments = Arguments(operation, signature, changed)
    create_operator(operation, whole, function, lambda known_as: CustomOpDef(known_as, function, arguments, ()))
    return name


def _implement(operation: str, op: CustomOpDef | str, key: str, function: Callable[..., Any]) -> None:
    """Register an operator's function for a dispatch key."""
    if key == "Meta":
        register_or_defer(operation, op, CustomOpDef.register_fake, function)
    elif key == "CompositeImplicitAutograd":
        register_or_defer(operation, op, CustomOpDef.register_composite, function)
    elif key in DEVICES:
        register_or_defer(operation, op, CustomOpDef.register_kernel, DEVICES[key], function)
    else:
        advice = "use register_autograd" if key.startswith("Autograd") else "call it on tensors of the dtype you want"
        expected = ", ".join([*DEVICES, "Meta", "CompositeImplicitAutograd"])
        raise UnsupportedError(f"{operation}: expected dispatch_key to be one of {expected}; got {key!r}; {advice}")


@boundary
def define(qualname: str, schema: str, *, lib: Library | None = None, tags: object = ()) -> None:
    """Define an operator by a schema without a name, `"(Tensor x) -> Tensor"`: `torch.library.define`.

    Arguments:
        qualname: the qualified name, for example "mylib::square".
        schema: the arguments and results.
        lib, tags: accepted for PyTorch compatibility and ignored.
    """
    namespace, _, name = qualname.rpartition("::")
    define_operator("define", namespace, f"{name}{schema.strip()}")


@boundary
def impl(
    qualname: str | CustomOpDef | Library,
    types: str | Sequence[str],
    func: Any = None,
    *,
    lib: Library | None = None,
) -> Any:
    """Register an operator's function for device types: `torch.library.impl`.

    Arguments:
        qualname: the operator or its name; or a `Library`, in which case `types` is the operator and `func` the key.
        types: for example "cpu" or "cuda", or a list of types; "default" for every device.
        func: the function; if omitted, `impl` returns a decorator.
        lib: accepted for PyTorch compatibility and ignored.
    """
    if isinstance(qualname, Library):
        library, name, key = qualname, types, func or ""

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            library.impl(name, function, key)  # type: ignore[arg-type]  # the operator's name in this form
            return function

        return decorate
    if func is None:
        return lambda function: impl(qualname, types, function)
    if not callable(func):
        raise InvalidTypeError(f"impl: expected func to be a function; got {type(func).__name__}")
    register_or_defer("impl", qualname, CustomOpDef.register_kernel, None if types == "default" else types, func)
    return func
