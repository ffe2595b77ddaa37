"""Public names of the packages, compared with those of the last release: `python .ci/policy.py [write] NAME ...`.

integration_tests/public_names/NAME.json lists the names of a package with their parameters, as of its last release.
A name that is missing now, or has other parameters, needs a fragment in packages/NAME/changes/ that contains it.
`write` renews the lists for a release. The installed packages are inspected: many public names come from tables that
are read at import, so readers of sources, such as griffe, do not see them. See docs/explanation/versions.md.
"""

import importlib
import inspect
import json
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from enum import EnumMeta
from pathlib import Path
from types import BuiltinFunctionType, MethodDescriptorType, ModuleType

ROOT = Path(__file__).resolve().parents[1]
LISTS = ROOT / "integration_tests" / "public_names"
PROGRAMS = ("as_torch", "examples")  # importing as_torch changes the meaning of `import torch`
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
Names = dict[str, dict[str, str]]  # the parameters of each name of each module


def public_modules(name: str) -> Iterator[ModuleType]:
    """Return a module and its public submodules."""
    module = importlib.import_module(name)
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not found.name.startswith("_") and found.name not in PROGRAMS:
            yield from public_modules(f"{name}.{found.name}")


def parameters(value: object) -> str:
    """Return the parameters of a callable with their defaults, but without annotations; "" for other values."""
    if not callable(value) or isinstance(value, EnumMeta):
        return ""
    if isinstance(value, BuiltinFunctionType | MethodDescriptorType):
        return "(...)"  # Python 3.13 reads parameters of C functions that 3.11 does not
    try:
        signature = inspect.signature(value)
    except ValueError:  # a class of C
        return "(...)"
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return ADDRESS.sub("", text)


def described(name: str, value: object, package: str, public: list[object]) -> Iterator[tuple[str, str]]:
    """Return a name with its parameters, and those of a class's members; without what other packages define.

    A class has the members of its bases, but what it inherits from another public class is only listed there.
    """
    own = is_of(package, value)
    yield name, parameters(value) if own else ""
    if own and inspect.isclass(value):
        others = [base for base in value.__mro__[1:] if base in public]
        for base in value.__mro__:
            if is_of(package, base) and not any(base in other.__mro__ for other in others):
                for member, of_class in vars(base).items():
                    if not member.startswith("_") and is_of(package, of_class):
                        # __func__: of a class method
                        yield f"{name}.{member}", parameters(getattr(of_class, "__func__", of_class))


def is_of(package: str, value: object) -> bool:
    """Return whether a value is defined in a package, as far as functions and classes say where."""
    home = getattr(value, "__module__", None)
    return not callable(value) or not isinstance(home, str) or home.partition(".")[0] == package


def public_names(package: str) -> Names:
    """Return the public names of an installed package."""
    modules = {
        module.__name__: {name: getattr(module, name) for name in sorted(getattr(module, "__all__", ()))}
        for module in public_modules(package)
    }
    public = [value for values in modules.values() for value in values.values() if inspect.isclass(value)]
    found = {}
    for module, values in modules.items():
        if values:
            pairs = [pair for name, value in values.items() for pair in described(name, value, package, public)]
            found[module] = dict(sorted(reversed(pairs)))
    return found


def unexplained(before: Names, now: Names, fragments: list[str]) -> list[str]:
    """Return the names that were changed or removed, and that no fragment contains."""
    words = {word for fragment in fragments for word in re.findall(r"[A-Za-z_]\w*", fragment)}
    found = []
    for module, names in before.items():
        for name, old in names.items():
            new = now.get(module, {}).get(name)
            if new != old and name.rpartition(".")[2] not in words:
                found.append(f"{module}.{name}{old}: {'removed' if new is None else f'now {new}'}")
    return found


def module_of(name: str) -> str:
    """Return the module of packages/NAME."""
    return tomllib.loads((ROOT / "packages" / name / "pyproject.toml").read_text())["project"]["name"].replace("-", "_")


def check(name: str) -> list[str]:
    """Return the unexplained changes of a package since its list was written."""
    fragments = [path.read_text() for path in (ROOT / "packages" / name / "changes").glob("*.md")]
    before = json.loads((LISTS / f"{name}.json").read_text())
    return unexplained(before, public_names(module_of(name)), fragments)


def main(arguments: list[str]) -> str | None:
    """Check packages, or write their lists; return an error message, or None."""
    writes = arguments[:1] == ["write"]
    names = arguments[writes:] or sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
    if writes:
        for name in names:
            text = json.dumps(public_names(module_of(name)), indent=0, ensure_ascii=False)
            (LISTS / f"{name}.json").write_text(f"{text}\n")
        return None
    found = [f"{name}: {change}" for name in names for change in check(name)]
    return (
        "expected a fragment in packages/NAME/changes that contains the name:\n" + "\n".join(found) if found else None
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
