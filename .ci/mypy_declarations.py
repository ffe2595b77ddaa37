"""mypy plugin: the types of the functions in an operator's declaration, and of the operator itself.

A declaration is a class body that its decorator reads (`facula_tensor._dispatch.declaration`). Its functions have no
`self`, and the names of their arguments determine the types, so annotations would repeat them. mypy cannot infer
either; this plugin supplies both. After the decorator the class's name is a function of tensors.

pyproject.toml names this file, so `mypy` loads it automatically.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy.nodes import (
    ARG_STAR,
    ARG_STAR2,
    AssignmentStmt,
    Decorator,
    Expression,
    FuncDef,
    NameExpr,
    StrExpr,
    TupleExpr,
    TypeInfo,
)
from mypy.plugin import Plugin
from mypy.types import AnyType, CallableType, Instance, NoneType, TupleType, Type, TypeOfAny, UnionType

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy.plugin import ClassDefContext, FunctionSigContext

DECORATORS = {f"facula_tensor._dispatch.declaration.{name}" for name in ("elementwise", "operator", "view", "under")}
TENSOR = "facula_tensor._core.tensor.Tensor"
LAYOUT = "facula_storage._layouts.Layout"
DTYPE = "facula_storage._dtypes.DType"
NAMESPACE = "facula_tensor._dispatch.namespaces.Namespace"
OF_LAYOUTS = {"outputs", "window", "validate_layouts", "direct"}  # functions of layouts, then parameters
DTYPES = {"accepts", "compute_dtype", "result_dtype"}
TUPLES = {"operands", "parameters", "edges"}
# Parameters are keys of plans, so each is hashable. Parameters with other names have any type.
INTEGERS = "blank count diagonal dim dim0 dim1 dim2 groups k length longest offset rows seed start step stop"
BOOLS = "accumulate backwards descending hermitian is_causal keepdim largest ordered reverse unitriangular upper"
NUMBERS = "eps epsilon momentum p scale threshold"
SHAPES = "dims shape strides"
PARAMETERS = {
    **dict.fromkeys(INTEGERS.split(), "int"),
    **dict.fromkeys(BOOLS.split(), "bool"),
    **dict.fromkeys(NUMBERS.split(), "float"),
}


class Declarations(Plugin):
    """Types by the names of functions and arguments."""

    def get_class_decorator_hook(self, fullname: str) -> Callable[[ClassDefContext], None] | None:
        """Handle classes under one of the decorators."""
        return _type_functions if fullname in DECORATORS else None

    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], CallableType] | None:
        """Handle calls of the function that replaces a declaration's class."""
        found = self.lookup_fully_qualified(fullname) if fullname.startswith("facula_tensor.") else None
        declared = found is not None and isinstance(found.node, TypeInfo) and "declaration" in found.node.metadata
        return self._as_function if declared else None

    def _as_function(self, context: FunctionSigContext) -> CallableType:
        tensor = self.lookup_fully_qualified(TENSOR)
        known = tensor is not None and isinstance(tensor.node, TypeInfo)
        return context.default_signature.copy_modified(
            arg_types=[ANYTHING, ANYTHING],
            arg_kinds=[ARG_STAR, ARG_STAR2],
            arg_names=[None, None],
            ret_type=Instance(tensor.node, []) if known else ANYTHING,
        )


def plugin(version: str) -> type[Plugin]:
    """Return the plugin; it is the same for each version of mypy."""
    return Declarations


ANYTHING = AnyType(TypeOfAny.explicit)


def _type_functions(context: ClassDefContext) -> None:
    context.cls.info.metadata["declaration"] = {}
    declared = Declared(context)
    for statement in context.cls.defs.body:
        function = statement.func if isinstance(statement, Decorator) else statement
        if isinstance(function, FuncDef):
            function.is_static = True
            if function.type is None:
                function.type = declared.type_of(function)


class Declared:
    """The types that the class body of a declaration implies for the operator's operands."""

    def __init__(self, context: ClassDefContext):
        self.context = context
        self.sets: dict[str, Expression] = {
            statement.lvalues[0].name: statement.rvalue
            for statement in context.cls.defs.body
            if isinstance(statement, AssignmentStmt) and isinstance(statement.lvalues[0], NameExpr)
        }
        self.inputs = self.strings("inputs", ("input",))
        self.optional = self.strings("optional", ())
        self.tensors = {"g", *self.inputs, *self.strings("results", ("out",))}

    def strings(self, attribute: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the strings of a tuple that the body sets, or none if the body computes it."""
        if attribute not in self.sets:
            return default
        value = self.sets[attribute]
        items = value.items if isinstance(value, TupleExpr) else []
        return tuple(one.value for one in items if isinstance(one, StrExpr))

    def type_of(self, function: FuncDef) -> CallableType:
        """Return the type of a function of the declaration."""
        return CallableType(
            [
                ANYTHING if one.kind == ARG_STAR else self.argument(function.name, place, one.variable.name)
                for place, one in enumerate(function.arguments)
            ],
            [one.kind for one in function.arguments],
            [one.variable.name for one in function.arguments],
            self.result(function.name),
            self.builtin("function"),
        )

    def argument(self, function: str, place: int, name: str) -> Type:
        """Return the type of an argument."""
        if name == "F":
            return self.named(NAMESPACE)
        if name in TUPLES:
            return self.builtin("tuple", ANYTHING)
        if name == "layouts":
            return self.builtin("tuple", self.named(LAYOUT))
        if name == "position":
            return self.builtin("int")
        if function in DTYPES:
            return self.named(DTYPE)
        if name.endswith("_layout") or (function in OF_LAYOUTS and place < len(self.inputs)):
            return self.named(LAYOUT)
        if not function.startswith("vjp_") or name not in self.tensors:
            return self.parameter(name)
        tensor = self.named(TENSOR)
        return UnionType([tensor, NoneType()]) if name in self.optional else tensor

    def parameter(self, name: str) -> Type:
        """Return the type of a parameter."""
        if name in SHAPES.split():
            return self.builtin("tuple", self.builtin("int"))
        return self.builtin(PARAMETERS[name]) if name in PARAMETERS else ANYTHING

    def result(self, function: str) -> Type:
        """Return the return type of a function of the declaration."""
        if function in DTYPES:
            return self.builtin("bool") if function == "accepts" else self.named(DTYPE)
        if function == "direct":
            return self.builtin("bool")
        if function == "window":
            return TupleType([self.named(LAYOUT), self.builtin("int")], self.builtin("tuple", ANYTHING))
        if function.startswith("validate_"):
            return NoneType()
        several = not function.startswith("vjp_") or function == "vjp_all"
        return ANYTHING if several else UnionType([self.named(TENSOR), NoneType()])

    def builtin(self, name: str, *arguments: Type) -> Instance:
        """Return a built-in type."""
        return self.context.api.named_type(f"builtins.{name}", list(arguments))

    def named(self, fullname: str) -> Type:
        """Return a class of the library, or Any if mypy does not see the library."""
        found = self.context.api.lookup_fully_qualified_or_none(fullname)
        return Instance(found.node, []) if found is not None and isinstance(found.node, TypeInfo) else ANYTHING
