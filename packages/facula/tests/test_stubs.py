"""Stubs of the face's modules without a file, whose names are rows of `_places.txt`: for type checkers.

    python packages/facula/tests/test_stubs.py    # writes them, where facula is imported from its source tree

Modules with an underscore have none: no program should name them.
"""

from pathlib import Path

import facula
from facula._places import places

FACE = Path(facula.__file__).parent
HEAD = '"""Names of PyTorch\'s {place}, from `_places.txt`, by packages/facula/tests/test_stubs.py."""\n\n'
KINDS = {"type": "Kind", "refused": "Refusal"}


def stub(place, rows, all_places=()):
    """The text of a module's stub, with the modules below it, if it is one of `all_places` that are."""
    below = [one.removeprefix(f"{place}.") for one in all_places if one.startswith(f"{place}.")]
    imports, values = {f"from . import {one} as {one}" for one in below if one.isidentifier() and one[0] != "_"}, []
    for row in rows.values():
        first, _, rest = row.path.partition(".")
        if row.kind != "works":
            imports.add("from facula._refusals import Kind, Refusal")
            values.append(f"{row.name}: {KINDS[row.kind]}")
        elif rest or first != row.name:  # an import by another name would be no name of this module
            imports.add(f"from {row.rest} import {first} as _own_{first}")
            values.append(f"{row.name} = _own_{row.path}")
        else:
            imports.add(f"from {row.rest} import {first} as {first}")
    lines = "\n".join(sorted(imports)) + ("\n\n" if values else "") + "\n".join(values)
    return HEAD.format(place=place.replace("facula", "torch", 1)) + lines + "\n"


def stubs():
    """The text of each stub, by its path."""
    found = {}
    for place, rows in places().items():
        path = FACE.joinpath(*place.split(".")[1:])
        if not rows or not path.parent.is_dir() or path.name.startswith("_"):
            continue
        if path.is_dir() and "make_of_rows(__name__)" in (path / "__init__.py").read_text():
            found[path / "__init__.pyi"] = stub(place, rows, places())
        elif not (path.is_dir() or path.with_suffix(".py").exists()):
            found[path.with_suffix(".pyi")] = stub(place, rows)
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
