"""Writes the reference: a page per public module or family of names, with each object described once.

An object with several names is described under the shortest one of facula, or else of its package. Other pages link to
it. The pages are written to docs/reference/names/ before Sphinx reads its sources.
"""

import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

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
    """Return the public modules of a package that list their names, imported."""
    root = importlib.import_module(package)
    names = [package, *(found.name for found in pkgutil.walk_packages(root.__path__, f"{package}."))]
    shown = (name for name in names if not any(part.startswith("_") for part in name.split(".")))
    modules = [importlib.import_module(name) for name in shown if not name.endswith(("__main__", ".as_torch"))]
    return [module for module in modules if getattr(module, "__all__", None)]


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


def describe(name, value):
    """Return the directive for a name."""
    if inspect.isclass(value):
        return f".. autoclass:: {name}\n   :members:\n"
    if callable(value) and hasattr(value, "__name__"):
        return f".. autofunction:: {name}\n"
    return f".. py:data:: {name}\n   :type: {type(value).__name__}\n"


BULLET = re.compile(r"\s*(\* )?")
CODE = re.compile(r"(``.+?``|`[^`]+`)")


def as_rest(line):
    """Return a line of a docstring with the characters escaped that Markdown leaves alone, as in `|x|`."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    start = BULLET.match(line).end()
    parts = CODE.split(line[start:])
    parts[::2] = [re.sub(r"[*|]|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
    return line[:start] + "".join(parts)


def write():
    """Write all pages, and return their names."""
    packages = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
    names = ["facula", *(f"facula_{package}" for package in packages if package != "facula")]
    homes, pages, titles = {}, defaultdict(list), {}
    modules = [module for package in names for module in public_modules(package)]
    modules.sort(key=lambda module: (module.__name__.split(".")[0] != "facula", module.__name__.count(".")))
    for module in modules:
        for name in sorted(module.__all__):
            value = getattr(module, name)
            page, title = page_of(module.__name__, value)
            titles[page] = title
            whole = f"{module.__name__}.{name}"
            if inspect.ismodule(value):
                continue
            home = homes.setdefault(id(value), whole) if callable(value) else whole
            pages[page].append((whole, value, home))
    PLACE.mkdir(parents=True, exist_ok=True)
    for page, entries in pages.items():
        own = [describe(whole, value) for whole, value, home in entries if whole == home]
        other = [f"* ``{whole}``: :py:obj:`{home}`\n" for whole, value, home in entries if whole != home]
        title = titles[page]
        text = f"{title}\n{'=' * len(title)}\n\n" + "\n".join(own)
        if other:
            text += "\nNames of objects that other pages describe\n" + "-" * 42 + "\n\n" + "".join(other)
        (PLACE / f"{page}.rst").write_text(text)
    return sorted(pages)


if __name__ == "__main__":
    print(len(write()), "pages")
