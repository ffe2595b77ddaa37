"""Attribute access of the public modules: `dir` lists their public names, and errors explain missing names.

Note [Missing modules]: `import facula.distributed` asks the finders of `sys.meta_path` in order. Our finder is the
last, so Python asks it only if there is no such file. It finds the modules of `_places.txt` (Note [Modules of rows]).
For other modules of PyTorch it raises an explanatory error, but only during an import: `importlib.util.find_spec`
returns None, as always.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

from facula_errors import MissingAttributeError, MissingModuleError, MissingPackageError
from facula_errors.extend import boundary, settle
from facula_errors.extend import publish as declare
from facula_tensor.extend.names import PyTorchNames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType, ModuleType

LISTING = PyTorchNames(sys.modules["facula"].__file__ or "")
HELPERS = frozenset({"annotations", "make_of_rows", "needs", "publish"})  # imports that these modules use themselves
TENSORS = PyTorchNames(sys.modules["facula_tensor"].__file__ or "")


def publish(
    module_name: str,
    *parts: str,
    later: tuple[str, ...] = (),
    places: tuple[str, ...] = (),
    lazily: Mapping[str, str] | None = None,
    otherwise: str = "",
) -> None:
    """Define `__dir__` and `__getattr__` of a public module, which calls this at its end with its `__name__`.

    `dir` lists `__all__` and Python's own names. A module that only re-exports names has no `__all__`: it gets one of
    its imports, `later` and `lazily`. A missing name raises AttributeError, or ImportError for `from MODULE import
    NAME`; the message says if PyTorch has the name.

    * `parts` are submodules that are loaded and published in the same way, even if a sibling's module has their name.
    * `later` are submodules that are loaded on first use, and call this function themselves.
    * `places` are like `later`, but not listed.
    * `lazily` are names of objects that are loaded on first use from modules below, in one text per module. Names
      without a module are rows of the table.
    * `otherwise` is the message for all other names.
    """
    module: Any = sys.modules[module_name]
    if type(vars(module).get("annotations")).__name__ == "_Feature":  # of `from __future__`; may be a module's name
        del module.annotations
    home = {public: place for place, ones in (lazily or {}).items() for public in ones.split()}
    for part in parts:
        loaded = import_module(f"{module_name}.{part}")
        if "__getattr__" not in vars(loaded):  # otherwise it called this itself, and has its names
            publish(loaded.__name__)

    if not hasattr(module, "__all__"):
        own = [name for name in vars(module) if name[0] != "_" and name not in HELPERS]
        module.__all__ = sorted({*own, *home, *(name for name in later if name[0] != "_")})

    is_public = "._" not in module_name  # Note [Public places] in facula_errors

    def keep(name: str, value: object) -> object:
        if is_public:
            settle(module_name, name, value)
        setattr(module, name, value)
        return value

    @boundary
    def __getattr__(name: str) -> object:
        if name in later or name in places:
            return import_module(f"{module_name}.{name}")
        if home.get(name):
            return keep(name, getattr(import_module(f"{module_name}.{home[name]}"), name))
        what = f"module {module_name!r} has no attribute {name!r}"
        if name.startswith("__"):
            raise MissingAttributeError(what, name=name, obj=module)
        from .places import is_place, row_of

        row = row_of(module_name, name)
        if row is not None:
            return keep(name, row.value())
        if is_place(f"{module_name}.{name}"):
            return import_module(f"{module_name}.{name}")
        why = explanation_of(module_name, name) or otherwise
        if not why and not LISTING.names(theirs(module_name)):
            why = suggestion_for(name, module.__all__) or LISTING.unlisted(f"{theirs(module_name)}.{name}")
        if is_import_from(sys._getframe(2)):
            why = why or suggestion_for(name, module.__all__)
            text = f"cannot import name {name!r} from {module_name!r}{': ' + why if why else ''}"
            raise MissingPackageError(text, name=module_name, path=vars(module).get("__file__"))
        # Python suggests names for its own AttributeError alone.
        hint = "" if why else suggestion_for(name, module.__all__).replace("did you mean ", ". Did you mean: ")
        raise MissingAttributeError(f"{what}{': ' + why if why else hint}", name=name, obj=module)

    def __dir__() -> list[str]:
        from .places import public_names

        return sorted(
            {*module.__all__, *public_names(module_name), *(name for name in vars(module) if name.startswith("__"))}
        )

    module.__getattr__, module.__dir__ = __getattr__, __dir__
    if is_public:
        declare(module_name)
    if not hasattr(module, "__path__"):
        # makes Python ask finders about modules below, so that ours can explain: Note [Missing modules]
        module.__path__ = []


def theirs(module_name: str) -> str:
    """Return PyTorch's name of a public module."""
    return "torch" + module_name.removeprefix("facula")


def explanation_of(module_name: str, name: str) -> str:
    """Explain why a module lacks a name and which alternative to use; empty if PyTorch lacks it, too."""
    place = theirs(module_name)
    why = LISTING.missing("modules", f"{place}.{name}") or LISTING.missing(place, name)
    if place == "torch" and why and "; use " not in why:  # the explanation for the method also applies to the function
        method = TENSORS.missing("torch.Tensor", name).replace("torch.Tensor.", "torch.")
        why = method if "; use " in method else why
    return why


def suggestion_for(name: str, names: list[str]) -> str:
    """Return the closest existing name, as a suggestion."""
    from difflib import get_close_matches

    folded = {known.lower(): known for known in names}
    matches = get_close_matches(name.lower(), folded, 1)
    return f"did you mean {folded[matches[0]]!r}?" if matches else ""


def is_import_from(frame: FrameType) -> bool:
    """Return whether a frame is at `from MODULE import NAME`, where Python would replace our message by its own."""
    from opcode import opmap

    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == opmap["IMPORT_FROM"]


class Loader:
    """A loader that creates a module from the rows of its name.

    Note [Modules of rows]: our finder is the last of `sys.meta_path`, so a module with a file is loaded from it. A
    module without a file whose name is in the table contains only a docstring and `__all__`. Names are resolved from
    the rows on first use, as in every public module.
    """

    @staticmethod
    def create_module(spec: object) -> None:
        """Use Python's default."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Set the module's list of names and its `__getattr__`."""
        from .places import FILE

        module.__file__ = FILE  # makes `inspect.getsource` show the table
        make_of_rows(module.__name__)


def make_of_rows(name: str) -> None:
    """Populate a module from its rows; modules that have a file but no names of their own call this."""
    from .places import rows_of, taken_over

    module, rows, others = sys.modules[name], rows_of(name), taken_over(name)
    vars(module).update(others)
    if not module.__doc__:
        known = name.replace("facula", "torch", 1)
        module.__doc__ = f"{name}: names of PyTorch's {known}, by facula's table of names."
    own = [  # deprecated names, which warn, can be used and are not listed
        key for key, row in rows.items() if key[0] != "_" and "*" not in key and row.rest != "facula._functions.older"
    ]
    module.__all__ = sorted({*own, *others})  # type: ignore[attr-defined]
    publish(name)


class ModuleFinder:
    """A finder of the table's modules without a file. It explains other names that are modules of PyTorch."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith("facula."):
            return None
        from .places import is_place

        if is_place(name):
            return ModuleSpec(name, Loader(), is_package=True)  # type: ignore[arg-type]
        if theirs(name) not in LISTING.names("modules"):
            return None
        if sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":
            return None
        place, _, last = name.rpartition(".")
        why = explanation_of(place, last)
        raise MissingModuleError(f"No module named {name!r}: {why}", name=name)


if ModuleFinder not in sys.meta_path:
    sys.meta_path.append(ModuleFinder)  # type: ignore[arg-type]
