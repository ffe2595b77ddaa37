"""Pickles of earlier commits load: each class and function that they name exists under its public name.

`pickled_names.json` has rows `"MODULE PLACE": "NAME ..."`: the module that pickles name, and the public module that
had the names, or `-` if they are private but occur in pickles of library objects. `NAME=PATH` is a name of the public
module, and the `__qualname__` in pickles. Run as a program, this file adds the current names, for a release; no name
is ever removed. Moved names are in a package's `_moved.txt`: Note [Moved paths] in facula_errors.
"""

import importlib
import json
import pickle
import pkgutil
import re
import subprocess
import sys
from functools import reduce
from pathlib import Path
from types import FunctionType

import pytest

import facula

FOLDERS = Path(__file__).resolve().parents[2].glob("packages/*/pyproject.toml")
PACKAGES = sorted([f"facula_{one.parent.name}".removesuffix("_facula") for one in FOLDERS])
LIST = Path(__file__).with_name("pickled_names.json")
PRIVATE = re.compile(r"\._|^facula_tensor\.(ops|transforms)\.|^facula_nn\.layers\.")  # modules without public names
PROGRAMS = re.compile(r"__main__|_stand_in|as_torch|examples")


def listed():
    """Return the rows (module, path, public module or "-", name there)."""
    found = []
    for head, names in json.loads(LIST.read_text()).items():
        module, place = head.split()
        for one in names.split():
            name, _, path = one.partition("=")
            found.append((module, path or name, place, name))
    return found


def places():
    """Return the public modules of all packages, including those of rows, in the order in which they publish."""
    names = []
    for package in [*PACKAGES[1:], PACKAGES[0]]:  # facula last
        root = importlib.import_module(package)
        names += [package, *[one.name for one in pkgutil.walk_packages(root.__path__, f"{package}.")]]
    names += importlib.import_module("facula._lookup.places").sections()
    return [one for one in dict.fromkeys(names) if not (PRIVATE.search(one) or PROGRAMS.search(one) or is_extend(one))]


def is_extend(name):
    """Return whether a module is for siblings."""
    return ".extend" in name or "tests" in name


def public_objects():
    """Return each public class and function of the library: its public module, its name there, and itself."""
    for place in places():
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, (type, FunctionType)) and value.__module__.partition(".")[0] in PACKAGES:
                yield place, name, value


def found(module, path):
    return reduce(getattr, path.split("."), importlib.import_module(module))


def is_found(value):
    """Return whether unpickling a class or function finds the same object."""
    try:
        return found(value.__module__, value.__qualname__) is value
    except AttributeError:
        return False


def test_what_pickles_name_is_found():
    lost = []
    for module, path, place, name in listed():
        try:
            value = found(module, path)
        except (ImportError, AttributeError) as error:
            lost.append(f"{module} {path}: {error}")
            continue
        if place != "-" and value is not getattr(importlib.import_module(place), name):
            lost.append(f"{module} {path} is not {place}.{name}")
    assert not lost, f"{len(lost)} names, which need a row in a _moved.txt: {lost[:20]}"


def test_functions_and_errors_say_that_they_are_in_a_public_module():
    """Note [Public places] in facula_errors says why other classes have the module that declares them."""
    elsewhere = []
    for place, name, value in public_objects():
        if isinstance(value, type) and not issubclass(value, BaseException):
            continue
        if value.__module__ == "facula._functions.rare":  # rows of facula under another name
            continue
        if PRIVATE.search(value.__module__) or not is_found(value):
            elsewhere.append(f"{place}.{name}: {value.__module__}.{value.__qualname__}")
    assert not elsewhere


@pytest.mark.parametrize("package", PACKAGES)
def test_they_do_where_a_module_was_only_imported(package):
    """Check this before lazily imported public modules are loaded."""
    program = f"""
import types
import {package} as package
for name in package.__all__:
    value = getattr(package, name)
    if isinstance(value, types.FunctionType) and value.__module__.startswith("facula"):
        print(value.__module__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not [one for one in done.stdout.split() if PRIVATE.search(one)]


def rows():
    """Return the rows of all packages' tables: (old module, new module, names)."""
    for package in PACKAGES:
        file = Path(importlib.import_module(package).__file__).with_name("_moved.txt")
        for line in file.read_text().splitlines() if file.exists() else ():
            if not line.startswith("#"):
                old, new, names = re.fullmatch(r"(\S+) -> ([^\s:]+)(?:: (.+))?", line).groups()
                assert old.partition(".")[0] == package
                yield old, new, (names or "").split()


def test_rows_of_moved_paths_lead_somewhere():
    for old, new, names in rows():
        for one in names:
            name, _, now = one.partition("=")
            assert found(old, name) is found(new, now or name), f"{old} -> {new}: {one}"
        parent, _, last = old.rpartition(".")  # an import of the old module replaces it
        spec = importlib.util.find_spec(old)
        if spec.origin is None:
            assert not names or new != old, f"{old} is gone"
            assert last not in getattr(importlib.import_module(parent), "__all__", ())
        else:
            assert names, f"{old} is there: its row needs names"


def test_modules_that_are_gone_have_no_other_names():
    module = importlib.import_module("facula_tensor.ops.convolution_1d")
    assert module.conv1d is facula.conv1d
    with pytest.raises(AttributeError, match=r"module 'facula_tensor\.ops\.convolution_1d' has no attribute 'conv9d'"):
        module.conv9d
    with pytest.raises(ModuleNotFoundError, match=r"facula_tensor\.ops\.never_there"):
        importlib.import_module("facula_tensor.ops.never_there")


METHODS = sorted(name for name, value in vars(facula.Tensor).items() if isinstance(value, FunctionType))


def test_methods_of_tensors_are_found():
    """Check methods that are functions with their own names."""
    assert len(METHODS) > 500
    assert not [name for name in METHODS if not is_found(getattr(facula.Tensor, name))]
    for name in ("div_", "divide_", "true_divide_", "pow_", "logit", "sinc"):
        method = getattr(facula.Tensor, name)
        assert pickle.loads(pickle.dumps(method)) is method


def test_hooks_of_older_pickles_are_called():
    """Check objects that wrap the functions, in a table without flags."""
    from facula_autograd.extend import Hooks
    from facula_nn._modules.older_hooks import ForwardHook

    one = ForwardHook()
    one.hook, one.with_kwargs, one.always = (lambda module, args, kwargs, output: output * 2), True, False
    layer, hooks = facula.nn.Identity(), Hooks()
    hooks[3] = one
    older = facula.nn.Identity()
    older.__setstate__({**layer.__dict__, "_hooks": {"forward": hooks}})
    assert older(facula.ones(1)).item() == 2
    assert older._forward_hooks_with_kwargs == {3: True}


def written(names):
    """Return the text of the list."""
    sections = {}
    for module, path, place, name in sorted(names):
        sections.setdefault((module, place), []).append(name if name == path else f"{name}={path}")
    found = {f"{module} {place}": " ".join(ones) for (module, place), ones in sorted(sections.items())}
    return json.dumps(found, indent=0) + "\n"


def test_the_list_is_as_it_is_written():
    assert LIST.read_text() == written(listed())


def add():
    known = {row[:2] for row in listed()}
    new = []
    for place, name, value in public_objects():
        row = (value.__module__, value.__qualname__)
        if row not in known and is_found(value):
            known.add(row)
            new.append((*row, place, name))
    LIST.write_text(written([*listed(), *new]))


if __name__ == "__main__":
    add()
