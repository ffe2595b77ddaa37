"""Writes the reference: a page per public module or family of names, with each object described once.

An object with several names is described under the shortest one of facula, or else of its package. Other pages link to
it, and the inventory (`objects.inv`) has all its names. The pages are written to docs/reference/names/ before Sphinx
reads its sources.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections import defaultdict
from pathlib import Path

import values

from facula._lookup import places
from facula._lookup.refusals import Refused
from facula_storage import DType

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(__file__).resolve().parents[1] / "reference" / "names"
# Names of facula itself, by the path of the file that defines them: the first that matches decides the page.
FAMILIES = [
    ("random", "Random numbers"),
    ("generator", "Random numbers"),
    ("ops/elementwise", "Elementwise operations"),
    ("ops/reduction", "Reductions, sorting and searching"),
    ("ops/shape", "Shapes and views"),
    ("ops/indexing", "Indexing"),
    ("ops/linalg", "Products and matrices"),
    ("ops/fft", "Products and matrices"),
    ("ops/neural", "Operations of neural networks"),
    ("_creation", "Creation"),
]
REST = "Settings, dtypes and other names"
DEEPER = ("facula.nn.functional", "facula.nn.init", "facula.nn.utils", "facula.optim.lr_scheduler", "facula.utils.data")


def public_modules(package):
    """Return the public modules of a package that list their names, imported; as_torch, which has none, is one."""
    root = importlib.import_module(package)
    names = {package, *(found.name for found in pkgutil.walk_packages(root.__path__, f"{package}."))}
    if package == "facula":
        names |= places.sections().keys()  # modules of the table of names may have no file
    shown = (name for name in sorted(names) if not any(part.startswith("_") for part in name.split(".")))
    modules = [importlib.import_module(name) for name in shown if not name.endswith(("__main__", ".as_torch"))]
    return [module for module in modules if getattr(module, "__all__", None)]


def public_names(module):
    """Return the public names of a module: its list, and rows of the table of names."""
    found = {*module.__all__, *places.public_names(module.__name__)}
    return sorted(name for name in found if not is_refused(getattr(module, name)))


def is_refused(value):
    """Return whether a value only says that facula has no such thing."""
    return isinstance(value, Refused) or (
        inspect.isclass(value)
        and (value.__doc__ or "").endswith("is not implemented: calls raise NotImplementedError.")
    )


def page_of(module, value):
    """Return the name and the title of the page with a name of `module`."""
    if module != "facula":
        deeper = next((name for name in DEEPER if f"{module}.".startswith(f"{name}.")), None)
        parts = module.split(".")
        name = deeper or ".".join(parts[:2] if parts[0] == "facula" or parts[1:2] == ["extend"] else parts[:1])
        return name, name
    if inspect.isclass(value) and value.__name__ == "Tensor":
        return "facula.Tensor", "facula.Tensor"
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    place = code.co_filename if code else ""
    title = next((title for part, title in FAMILIES if part in place), REST)
    return "facula-" + title.split(",")[0].lower().replace(" ", "-"), f"facula: {title}"


def is_data(value):
    """Return whether a value is neither a class nor a function."""
    is_alias = hasattr(value, "__origin__")  # of types
    return is_alias or not (inspect.isclass(value) or (callable(value) and hasattr(value, "__name__")))


def describe(module, name, value):
    """Return the directive for a name of a module."""
    whole = f"{module}.{name}"
    if inspect.isclass(value):
        return f".. autoclass:: {whole}\n   :members:\n"
    if not is_data(value):
        return f".. autofunction:: {whole}\n"
    shown = f"   :value: {value!r}\n" if isinstance(value, values.SHOWN) else ""
    text = as_rest(values.text_of(module, name, value))
    return f".. py:data:: {whole}\n   :type: {type(value).__name__}\n{shown}\n   {text}\n"


BULLET = re.compile(r"\s*(\* )?")
CODE = re.compile(r"(``.+?``|`[^`]+`)")


def as_rest(line):
    """Return a line of a docstring with the characters escaped that Markdown leaves alone, as in `|x|`."""
    start = BULLET.match(line).end()
    parts = CODE.split(line[start:])
    # With their meaning in reST, also that of an address, as in "file:line".
    parts[::2] = [re.sub(r"(?<!\\)[*|]|(?<=\w)_(?!\w)|(?<=\bfile):(?=\w)", r"\\\g<0>", part) for part in parts[::2]]
    return line[:start] + "".join(parts)


def docstring_as_rest(lines):
    """Return the lines of a docstring with such characters escaped, except in doctests, which end at empty lines."""
    found, in_doctest = [], False
    for line in lines:
        in_doctest = bool(line.strip()) and (in_doctest or line.lstrip().startswith(">>>"))
        found.append(line if in_doctest else as_rest(line))
    return found


def all_modules():
    """Return the public modules of all packages, those of facula first, then the shortest names."""
    packages = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
    names = ["facula", *(f"facula_{package}" for package in packages if package != "facula")]
    modules = [module for package in names for module in public_modules(package)]
    # A module that a package imports from another one is a second name of it.
    return sorted(modules, key=lambda module: (module.__name__.split(".")[0] != "facula", module.__name__.count(".")))


def entries():
    """Yield all public names of values: the module, the name, the value, and the name that describes it."""
    homes = {}
    for module in all_modules():
        for name in public_names(module):
            value = getattr(module, name)
            if not inspect.ismodule(value) and getattr(value, "__module__", "") != "typing":
                whole = f"{module.__name__}.{name}"
                is_one = callable(value) or type(value).__module__.startswith("facula")  # others may be equal by chance
                home = repr(value) if isinstance(value, DType) else whole  # `facula.float32`, not `facula.float`
                yield module, whole, value, homes.setdefault(id(value), home) if is_one else whole


def aliases():
    """Return the names that are described under another one, with that one."""
    return {whole: home for _, whole, _, home in entries() if whole != home}


def introduction(page, modules):
    """Return the first sentence about the page's module, and targets for all modules of the page."""
    targets = "".join(f".. py:module:: {name}\n" for name in sorted(modules))
    own = inspect.getdoc(sys.modules[page]) if page in modules else ""
    first = re.split(r"(?<=\.)\s", (own or "").removeprefix(f"{page}: ").replace("\n", " "))[0].strip()
    return f"{as_rest(first[:1].upper() + first[1:])}\n\n{targets}.. py:currentmodule:: None\n\n"


def as_torch():
    """Return the description of facula.as_torch, which is not imported: that would change what `import torch` means."""
    path = Path(sys.modules["facula"].__file__).with_name("as_torch.py")
    return "\n``facula.as_torch``\n" + "-" * 20 + f"\n\n{ast.get_docstring(ast.parse(path.read_text()))}\n"


def write():
    """Write all pages, and return their names."""
    pages, titles, modules, described = defaultdict(list), {}, defaultdict(set), set()
    for module, whole, value, home in entries():
        page, title = page_of(module.__name__, value)
        titles[page] = title
        described.add(whole)
        pages[page].append((module.__name__, whole, value, home))
    for module in all_modules():
        page = page_of(module.__name__, None)[0]
        if module.__name__ not in described:  # a function of this name hides the module
            modules[page if page in pages else "facula"].add(module.__name__)
    modules["facula-settings"] |= modules.pop("facula", set()) | {"facula.as_torch"}
    PLACE.mkdir(parents=True, exist_ok=True)
    for page, found in pages.items():
        own = [
            describe(module, whole[len(module) + 1 :], value) for module, whole, value, home in found if whole == home
        ]
        other = [f"* ``{whole}``: :py:obj:`{home}`\n" for _, whole, _, home in found if whole != home]
        title = titles[page]
        text = f"{title}\n{'=' * len(title)}\n\n{introduction(page, modules[page])}" + "\n".join(own)
        if other:
            text += "\nNames of objects that other pages describe\n" + "-" * 42 + "\n\n" + "".join(other)
        (PLACE / f"{page}.rst").write_text(text + (as_torch() if page == "facula-settings" else ""))
    return sorted(pages)


if __name__ == "__main__":
    print(len(write()), "pages")
