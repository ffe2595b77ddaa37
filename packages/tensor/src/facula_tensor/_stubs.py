"""Generate this package's stubs, for type checkers and editors, from the functions at run time.

    python -m facula_tensor._stubs

Operators are declared as classes, and decorators make functions and methods of them, which type checkers cannot
follow. So stubs contain their signatures: `__init__.pyi` and `functional.pyi` for the functions,
`_core/methods.pyi` for methods of Tensor. Types come from the declarations, and from `_stub_types.py` instead
of Any. A test compares the files with the generator's output.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import facula_tensor
from facula_tensor import functional

from ._stub_types import ARGUMENTS, OVERLOADS, RESULTS, SPECIAL

FOLDER = Path(facula_tensor.__file__).parent
TYPES = {
    "AnyTensor", "Data", "DTypeLike", "DeviceLike", "Dims", "Extremes", "Frexp", "Index", "Lengths", "MemoryFormat",
    "NamedResults", "Number", "Operand", "Scalar", "SupportsDLPack",
}  # fmt: skip
HEAD = f'''"""{{}} Written by facula_tensor._stubs."""

# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
from typing_extensions import Buffer

from {{}}types import {", ".join(sorted(TYPES))}
'''
BUILTINS = {"bool", "bytes", "complex", "dict", "float", "int", "list", "memoryview", "object", "str", "tuple", "type"}
KNOWN = TYPES | BUILTINS
KNOWN |= {
    "Any",
    "Buffer",
    "DType",
    "Device",
    "False",
    "Generator",
    "Iterator",
    "Literal",
    "None",
    "Sequence",
    "SupportsIndex",
}
KNOWN |= {"Callable", "Tensor", "True", "TypedStorage", "UntypedStorage", "np.dtype", "np.ndarray"}
NAME = re.compile(r"[A-Za-z_][\w.]*")
PARAMETER = re.compile(r"(\w+): ")
REFUSED = {"__delitem__"}  # methods that only raise: omitted, so that type checkers report their use
overloaded: set[str] = set()  # names whose OVERLOADS are already in the stubs


def annotation(value: Any) -> str:
    """Return an annotation's text. `bool`, `int` and others are dtypes here, so Python's types are qualified."""
    if value is inspect.Parameter.empty:
        return "Any"
    text = value if isinstance(value, str) else value.__name__
    unknown = set(NAME.findall(text)) - KNOWN
    if unknown:
        raise SystemExit(f"stubs: annotations name {sorted(unknown)}; add what they need to HEAD and KNOWN")
    return NAME.sub(lambda found: f"builtins.{found[0]}" if found[0] in BUILTINS else found[0], text)


def argument_type(function: str, parameter: inspect.Parameter) -> str:
    """Return the type of an argument: from SPECIAL, its annotation, or its name."""
    special = SPECIAL.get((function, parameter.name))
    said = annotation(parameter.annotation)
    if said != "Any" and special is None:
        return said
    meant = special or ARGUMENTS.get(parameter.name)
    if meant is None:
        raise SystemExit(
            f"stubs: {function}({parameter.name}) says Any; annotate it, or add the name to _stub_types.py"
        )
    return annotation(f"{meant} | None" if parameter.default is None and not meant.endswith("None") else meant)


def type_of_result(function: str, value: Any) -> str:
    """Return the type of a function's result: its annotation, or the type in `_stub_types.py`."""
    said = annotation(value)
    if said != "Any":
        return said
    if function in RESULTS:
        return annotation(RESULTS[function])
    if function.startswith("__r"):  # Python's reflected operators
        return "Tensor"
    raise SystemExit(f"stubs: {function} gives Any; annotate it, or add it to RESULTS in _stub_types.py")


def definition(name: str, function: Any, *, method: bool = False) -> str:
    """Return `def name(...) -> ...: ...` with the first line of the docstring, or several for overloads."""
    signature = inspect.signature(function)
    said = (inspect.getdoc(function) or "").splitlines()
    first = said[0].strip() if said else ""
    body = "    ..." if not said else f"    {first!r}" if '"' in first or "\\" in first else f'    """{first}"""'
    if name in OVERLOADS and fits(OVERLOADS[name], signature):
        overloaded.add(name)
        return overloads(name, body, method=method)
    parts: list[str] = []
    starred = False
    parameters = [*signature.parameters.values()]
    if method:  # a function's argument `self` is an alias of a method's instance
        parameters = [parameter for place, parameter in enumerate(parameters) if not place or parameter.name != "self"]
    for place, parameter in enumerate(parameters):
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        if method and not place:
            parts.append("self")
            continue
        star = (
            "*"
            if parameter.kind is parameter.VAR_POSITIONAL
            else "**"
            if parameter.kind is parameter.VAR_KEYWORD
            else ""
        )
        plain = parameter.default is None or type(parameter.default) in (bool, int, float, str)
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}" if plain else " = ..."
        parts.append(f"{star}{parameter.name}: {argument_type(name, parameter)}{default}")
    ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    result = type_of_result(name, signature.return_annotation)
    return f"def {name}({', '.join(parts)}) -> {result}:{ignored}\n{body}\n"


def fits(texts: tuple[str, ...], signature: inspect.Signature) -> bool:
    """Return whether overloads together cover a function's arguments, to exclude other functions of the same name."""
    written = {name for text in texts for name in PARAMETER.findall(text)}
    real = {
        parameter.name for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD
    }
    return real == written or (real < written and len(real) < len(signature.parameters))


def overloads(name: str, body: str, *, method: bool) -> str:
    """Return the signatures in OVERLOADS; editors show the first one's docstring."""
    texts = OVERLOADS[name]
    if method:
        texts = tuple("(self" + text[re.match(r"\(\w+: \w+", text).end() :] for text in texts)  # type: ignore[union-attr]
    lines = []
    for place, text in enumerate(texts):
        arguments, _, result = text.rpartition(" -> ")
        lines += ["@overload"] * (len(texts) > 1)
        shown = NAME.sub(lambda found: f"builtins.{found[0]}" if found[0] in BUILTINS else found[0], arguments)
        lines += [f"def {name}{shown} -> {annotation(result)}:", "    ..." if place else body]
    return "\n".join(lines) + "\n"


def functions(module: ModuleType) -> str:
    """Return the stubs of a module's public functions."""
    text = aliases = ""
    for name in sorted(set(module.__all__)):
        value: Any = getattr(module, name)
        if not inspect.isfunction(inspect.unwrap(value)):
            continue
        own = value.__name__
        if own != name and getattr(module, own, None) is value:
            aliases += f"{name} = {own}\n"
        else:
            text += definition(name, value)
    return text + aliases


def is_function(name: str) -> bool:
    """Return whether `functions` generates a stub for a public name."""
    return name in facula_tensor.__all__ and inspect.isfunction(getattr(facula_tensor, name))


def imports() -> str:
    """Return the names that `__init__.py` imports, and those in its table that are not functions."""
    found = [
        (f"{'.' * node.level}{node.module or ''}", alias.name, alias.asname or alias.name)
        for node in ast.parse((FOLDER / "__init__.py").read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    for module, listed in vars(facula_tensor)["_NAMES"].items():
        for name, _, path in (row.partition("=") for row in listed.split()):
            found += [] if is_function(name) else [(f".{module}", path or name, name)]
    text = ""
    for home, name, shown in found:
        if not shown.startswith("_"):
            text += f"from {home} import {name} as {name}\n"
            text += f"{shown} = {name}\n" if shown != name else ""
    return text + "from facula_storage import DType\n"


def package() -> str:
    """`__init__.pyi`."""
    listed = "".join(f'    "{name}",\n' for name in sorted(set(facula_tensor.__all__)))
    return (
        HEAD.format("The public functions as type checkers see them.", "._core.")
        + imports()
        + f"\n__version__: builtins.str\n__all__ = [\n{listed}]\n\n"
        + functions(facula_tensor)
    )


def network_functions() -> str:
    """`functional.pyi`."""
    listed = "".join(f'    "{name}",\n' for name in sorted(functional.__all__))
    return (
        HEAD.format("The functions of networks as type checkers see them.", "._core.")
        + f"from ._core.tensor import Tensor\nfrom ._creation.generator import Generator\n\n__all__ = [\n{listed}]\n\n"
        + functions(functional)
    )


def methods() -> str:
    """Return `_core/methods.pyi`: the methods that operator declarations add to Tensor."""
    text = HEAD.format("The methods that declarations put on Tensor.", ".")
    text += (
        "from facula_storage import DType\n\nfrom .._creation.generator import Generator\nfrom .tensor import Tensor\n"
    )
    text += "from .._interop.untyped_storage import TypedStorage, UntypedStorage\n\n"
    body = "class Methods:\n    def __hash__(self) -> builtins.int: ...\n"
    aliases = ""
    for name, value in sorted(vars(facula_tensor.Tensor).items()):
        written = ""
        own = getattr(value, "__name__", name)
        elsewhere = getattr(value, "__module__", "") == "facula_tensor._core.tensor"
        if own != name and name[0] != "_" and not elsewhere and vars(facula_tensor.Tensor).get(own) is value:
            aliases += f"    {name} = {own}\n"
        elif isinstance(value, property) and value.fget.__module__ != "facula_tensor._core.tensor":
            kind = type_of_result(name, inspect.signature(value.fget).return_annotation)  # type: ignore[arg-type]
            written = f"@property\ndef {name}(self) -> {kind}: ...\n"
            if value.fset is not None:
                written += f"@{name}.setter\ndef {name}(self, new: {kind}) -> None: ...\n"
        elif inspect.isfunction(value) and value.__module__ != "facula_tensor._core.tensor" and name not in REFUSED:
            written = definition(name, value, method=True)
        body += "".join(f"    {line}\n" for line in written.splitlines())
    return text + body + aliases


STUBS = {"__init__.pyi": package, "functional.pyi": network_functions, "_core/methods.pyi": methods}

if __name__ == "__main__":
    for file, write in STUBS.items():
        (FOLDER / file).write_text(write())
    if set(OVERLOADS) - overloaded:
        raise SystemExit(f"stubs: no function has the arguments of OVERLOADS: {sorted(set(OVERLOADS) - overloaded)}")
