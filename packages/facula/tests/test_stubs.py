"""Type stubs of facula's modules whose source file has no list of names.

Their names are rows of `_places.txt`, or imports.

    python packages/facula/tests/test_stubs.py    # writes the stubs; requires facula from its source tree

Modules with a leading underscore have none, since programs should not import them.
"""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import facula
from facula._lookup.places import Row, row_of, rows_of, sections, taken_over

FACE = Path(facula.__file__).parent
HEAD = '"""Names of PyTorch\'s {place}, from `_places.txt`, by packages/facula/tests/test_stubs.py."""\n\n'
KINDS = {"type": "_Kind", "refused": "_Refusal"}  # a module may export other classes of these names


def stub(place, rows, modules=()):
    """Return the text of a module's stub, including the submodules that it names."""
    imports = {f"from . import {one} as {one}" for one in modules if one.isidentifier() and one[0] != "_"}
    values = []
    for row in rows:
        first, _, rest = row.path.partition(".")
        if row.kind not in ("works", "parts"):
            imports.add("from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal")
            values.append(f"{row.name}: {KINDS[row.kind]}")
        elif rest or first != row.name:  # an import under another name is not re-exported
            imports.add(f"from {row.rest} import {first} as _own_{first}")
            values.append(f"{row.name} = _own_{row.path}")
        else:
            imports.add(f"from {row.rest or '.'} import {first} as {first}")
    lines = "\n".join(sorted(imports)) + ("\n\n" if values else "") + "\n".join(values)
    lines += "\n\n__version__: str" if place == "facula" else ""
    return HEAD.format(place=place.replace("facula", "torch", 1)) + lines + "\n"


def of_rows(place):
    """Return the rows of a module, with the names of a list that it re-exports one by one."""
    source = rows_of(place).get("*")
    over = [Row(place, name, "works", source.rest, name) for name in taken_over(place)] if source else []
    return [*over, *(row for row in rows_of(place).values() if row is not source)]


def imported(place):
    """Return a module's imports as rows; modules without a list export all of them."""
    module, origin, late = import_module(place), {}, {}
    tree = ast.parse(Path(module.__file__).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = place.rsplit(".", node.level - 1)[0] if node.level else ""
            home = ".".join(filter(None, [above, node.module]))
            for one in node.names:
                for name in import_module(home).__all__ if one.name == "*" else [one.name]:
                    shown = one.asname or name
                    origin[shown] = Row(place, shown, "works", home, name)
        elif isinstance(node, ast.Dict):  # names that are imported lazily from submodules
            late |= {
                name: f"{place}.{below}" for below, names in ast.literal_eval(node).items() for name in names.split()
            }
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Name):
            origin[node.target.id] = origin[node.value.id]._replace(name=node.target.id)
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType) and value.__name__ == f"{place}.{name}":
            yield Row(place, name, "parts", "", name)
        else:
            found = origin.get(name) or row_of(place, name) or row_of(late[name], name)
            yield found or Row(place, name, "works", late[name], name)
    for name, row in rows_of(place).items():
        if name not in module.__all__ and "*" not in name and name[0] != "_" and row.path != ".":
            yield row


def below(place):
    """Return the direct submodules of a module: files, and sections of the table."""
    folder = FACE.joinpath(*place.split(".")[1:])
    found = {one.removeprefix(f"{place}.").partition(".")[0] for one in sections() if one.startswith(f"{place}.")}
    found = {one for one in found if rows_of(f"{place}.{one}")}
    found |= {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    return found - {"as_torch", "examples"}


def is_of_rows(path):
    """Return whether a module has no file, or only one for editors."""
    return not path.exists() or "make_of_rows(__name__)" in path.read_text()


def has_no_list(path):
    """Return whether a module exports its imports because its file has no list."""
    text = path.read_text()
    return "publish(__name__" in text.replace("publish(\n    __name__", "publish(__name__") and "__all__" not in text


def stubs():
    """Return the text of each stub by path."""
    found = {}
    for place in sections():
        path, rows = FACE.joinpath(*place.split(".")[1:]), of_rows(place)
        if not rows or not path.parent.is_dir() or path.name.startswith("_"):
            continue
        if path.is_dir() and "make_of_rows(__name__)" in (path / "__init__.py").read_text():
            found[path / "__init__.pyi"] = stub(place, rows, below(place))
        elif not path.is_dir() and is_of_rows(path.with_suffix(".py")):
            found[path.with_suffix(".pyi")] = stub(place, rows)
    for path in FACE.rglob("*.py"):
        if has_no_list(path):
            inner = path.relative_to(FACE.parent).with_suffix("").parts
            place = ".".join(inner[:-1] if inner[-1] == "__init__" else inner)
            shown = [*imported(place)]
            modules = below(place) - {row.name for row in shown} if path.stem == "__init__" else ()
            found[path.with_suffix(".pyi")] = stub(place, shown, modules)
    return found


def test_the_stubs_are_current():
    wanted = stubs()
    assert set(FACE.rglob("*.pyi")) == set(wanted), "run python packages/facula/tests/test_stubs.py"
    assert [str(path) for path, text in wanted.items() if path.read_text() != text] == []


if __name__ == "__main__":
    texts = stubs()
    for path in set(FACE.rglob("*.pyi")) - set(texts):
        path.unlink()
    for path, text in texts.items():
        path.write_text(text)
