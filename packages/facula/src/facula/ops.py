"""facula.ops: operators by namespace and name, `ops.mylib.square`; compiled operator libraries are never loaded."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from facula_errors import FileError, MissingAttributeError
from facula_errors.extend import boundary, published
from facula_tensor.extend.declaring import operators_by_name

from ._lookup.refusals import Refusals

if TYPE_CHECKING:
    from facula_tensor.library import CustomOpDef

    from ._lookup.refusals import Refusal

__all__ = ["load_library", "loaded_libraries"]

__dir__ = published(__name__)

loaded_libraries: set[str] = set()  # always empty

# namespaces of other packages with operators that facula implements
_OURS = {"torchvision": "facula._interop.torchvision"}

# Test runners look up these names in every module that they collect; a namespace would be taken for a function.
_HOOKS_OF_TESTS = frozenset(
    "pytest_plugins pytestmark load_tests setUpModule tearDownModule setup_module teardown_module setup_function "
    "teardown_function".split()
)


class Namespace:
    """The operators of one namespace as attributes.

    In a package's namespace, operators that facula does not implement are functions that raise NotImplementedError. In
    other namespaces, an undefined operator is an AttributeError.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @boundary
    def __getattr__(self, name: str) -> CustomOpDef | Refusal:
        space = self.__name__
        if name.startswith("__"):
            raise MissingAttributeError(f"namespace {space!r} has no attribute {name!r}", name=name, obj=self)
        found = operators_by_name.get(f"{space}::{name}")
        if found is None:
            if space in _OURS and not name.startswith("_"):
                there = ", ".join(attribute for attribute in dir(self) if not attribute.startswith("_"))
                return Refusals(f"ops.{space}", f"of {space}'s operators there are {there}").function(name)
            if space == "aten":
                advice = f"facula's operators are not listed there; use torch.{name} or the method"
            else:
                advice = "operators of compiled libraries are not loaded; define it with library.custom_op or Library"
            raise MissingAttributeError(
                f"ops.{space}.{name}: expected an operator that is defined; got '{space}::{name}'; {advice}",
                name=name,
                obj=self,
            )
        return found

    def __dir__(self) -> list[str]:
        start = f"{self.__name__}::"
        return sorted(name.removeprefix(start) for name in operators_by_name if name.startswith(start))

    def __repr__(self) -> str:
        return f"<operators of {self.__name__!r}: {', '.join(dir(self)) or 'none'}>"


@boundary
def load_library(path: object) -> NoReturn:
    """Raise OSError: a compiled operator library requires PyTorch's own library, which is not available.

    Arguments:
        path: the path of the library, which is not opened.
    """
    raise FileError(
        f"ops.load_library: expected no library; got {str(path)!r}, which is compiled for PyTorch and never loaded; "
        "define its operators with library.custom_op"
    )


def __getattr__(name: str) -> Namespace:
    if name.startswith("__") or name in _HOOKS_OF_TESTS:
        raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    if name in _OURS:
        import_module(_OURS[name])
    made = Namespace(name)
    setattr(sys.modules[__name__], name, made)
    return made
