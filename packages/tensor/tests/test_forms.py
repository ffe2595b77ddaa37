"""The generated public functions match the declarations."""

import gc
import json
import os
import shutil
import subprocess
import sys
from inspect import unwrap
from pathlib import Path
from types import FunctionType

import pytest

import facula_tensor as ft
from facula_tensor import _forms, fft, functional, linalg, special
from facula_tensor._dispatch.written import completed, declared

PACKAGE, FOLDER = Path(ft.__file__).parent, Path(_forms.__file__).parent


def written(folder):
    """Return the texts of the generated files, by path. Files next to the folders generate them."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.glob("*/**/*.py")}


def write(*options, inside=None):
    paths = [str(inside)] * bool(inside) + [os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "facula_tensor._forms", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_generated_functions_are_current():
    done = write("--check")
    assert done.returncode == 0, f"{done.stdout}{done.stderr}: run python -m facula_tensor._forms"


def test_files_are_generated_from_scratch(tmp_path):
    copy = tmp_path / "facula_tensor"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    wanted = written(FOLDER)
    names = sorted(wanted)
    for room in (copy / "_forms").glob("*/"):
        shutil.rmtree(room)
    (copy / "_forms" / names[0]).parent.mkdir()
    (copy / "_forms" / names[0]).write_text("def broken(")
    (copy / "_forms" / "stale").mkdir()
    (copy / "_forms" / "stale" / "stale.py").write_text("")
    done = write("--check", inside=tmp_path)
    assert done.returncode == 1 and done.stdout == f"different: {', '.join(sorted([*names, 'stale/stale.py']))}\n"
    done = write(inside=tmp_path)
    assert done.returncode == 0 and "removed: stale/stale.py" in done.stdout, done.stderr
    assert written(copy / "_forms") == wanted


def test_functions_are_short():
    for path, file in written(FOLDER).items():
        for text in () if path.startswith("_dispatch/") else file.split("\n\n\n")[1:]:
            assert text.count("\n") < 40, f"{path}: {text.splitlines()[0]}"


def test_written_files_are_short():
    assert sum(text.count("\n") for text in written(FOLDER).values()) <= 12_000


def described(summary, *arguments):
    return f"{summary}\n\n    Arguments:\n" + "".join([f"        {argument}\n" for argument in arguments])


@pytest.mark.parametrize(
    ("declared", "more", "complete"),
    [
        ("One.", "a: x.", described("One.", "a: x.")),
        ("One.\n    Two.\n    ", "a: x.", described("One.\n    Two.", "a: x.")),
        ("One.\n\n    >>> f()\n    ", "b: y.", described("One.", "b: y.") + "\n    >>> f()\n    "),
        (described("One.", "b: y,", "    z."), "a: x.", described("One.", "a: x.", "b: y,", "    z.")),
        (described("One.", "a: x."), "b, c: y,\n        z.", described("One.", "a: x.", "b, c: y,", "    z.")),
        (described("One.", "a: x.", "d: no argument.").rstrip(), "", described("One.", "a: x.")),
    ],
)
def test_docstrings_are_completed(declared, more, complete):
    assert completed(declared, more, ("a", "b", "c")) == complete


def without_gradients(function, *operands):
    with ft.no_grad():
        return function(*operands)


CALLS = {  # of Python functions, with the method itself; tests/invariants/test_call_counts.py counts single operators
    "addmm": (lambda x, row, stack: x.addmm(x, x), 4),
    "addmm, of a row": (lambda x, row, stack: row.addmm(x, x), 4),
    "addmm, beta": (lambda x, row, stack: x.addmm(x, x, beta=2.0), 5),
    "addmm, alpha": (lambda x, row, stack: x.addmm(x, x, alpha=0.5), 6),
    "addmm_": (lambda x, row, stack: x.addmm_(x, x), 5),
    "select": (lambda x, row, stack: x.select(0, 1), 2),
    "select, others": (lambda x, row, stack: [x.select(0, i) for i in range(3)], 7),
    "lerp": (lambda x, row, stack: x.lerp(x, 0.5), 3),
    "lerp_": (lambda x, row, stack: x.lerp_(x, 0.5), 5),
    "elu_": (lambda x, row, stack: functional.elu_(x), 4),
    "tril_": (lambda x, row, stack: x.tril_(), 5),
    "addcmul": (lambda x, row, stack: x.addcmul(x, row), 2),
    "permute": (lambda x, row, stack: x.permute(1, 0), 2),
    "zero_": (lambda x, row, stack: x.zero_(), 3),
    "copy_ in no_grad": (lambda x, row, stack: without_gradients(x.copy_, row), 14),
    "zeros_like": (lambda x, row, stack: ft.zeros_like(x), 4),
    "new_zeros": (lambda x, row, stack: x.new_zeros(3), 5),
    "rand_like": (lambda x, row, stack: ft.rand_like(x), 4),
}


def calls_of(function):
    """Return the names of the Python functions that a second call enters."""
    operands, made = (ft.eye(3), ft.ones(3), ft.ones(2, 3, 3)), []
    function(*operands)
    gc.disable()  # a collection closes generators, which would count as calls
    sys.setprofile(lambda frame, event, argument: made.append(frame.f_code.co_qualname) if event == "call" else None)
    try:
        function(*operands)
    finally:
        sys.setprofile(None)
        gc.enable()
    return made[1:]  # the lambda is the first


@pytest.fixture(scope="module")
def calls():
    """Counted in a separate process, because shapes of other tests change which plans are cached."""
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CALLS)
def test_functions_make_few_calls(name, calls):
    assert len(calls[name]) <= CALLS[name][1], calls[name]


BY_HAND = {
    "max": "of all elements, along a dimension or of two tensors; the fast path of the first reads no dimension",
    "min": "as max",
    "cat": "the common cases have separate fast paths, and operands are in a list",
    "stack": "as cat",
    "matmul": "it implements Python's `@`, which may return NotImplemented",
    "detach": "a new tensor over the same memory, without an operator",
    "detach_": "changes the tensor itself",
    "gather": "the usual call has a path without checks, and out=",
    "index_select": "as gather",
    "scatter_add": "as gather",
    "masked_fill": "as gather",
    "masked_fill_": "the usual call launches the kernel itself",
    "nonzero": "the type of the result depends on an argument",
    "reshape": "the arguments of method and function differ",
    "split": "as reshape",
    "where": "two forms of call",
    **dict.fromkeys(("fill_", "zero_", "resize_as_", "as_strided_"), "changes the tensor itself, without an operator"),
    **dict.fromkeys(("is_complex", "is_floating_point", "is_tensor", "numel", "typename"), "computed in Python"),
    "clone": "another memory format uses another operator",
    "t": "a separate view, which supports at most two dimensions",
}
"""Handwritten public functions, with the reason that they cannot be generated from a declaration."""


def is_declared(function):
    """Tell if a public function is generated from a declaration or wraps an operator."""
    if "/_dispatch/" in function.__code__.co_filename and hasattr(function, "operator"):
        return True
    while "_forms" not in function.__code__.co_filename and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return "_forms" in function.__code__.co_filename


def others_in(namespaces, by_hand):
    """Return the names of public operator functions that are neither declared nor listed as handwritten."""
    folders = tuple(f"/facula_tensor/{room}/" for room in ("ops", "linalg", "fft"))
    return {
        name
        for namespace in namespaces
        for name, value in namespace.items()
        if isinstance(value, FunctionType) and any(folder in unwrap(value).__code__.co_filename for folder in folders)
        if not name.startswith("_") and value not in by_hand and not is_declared(value)
    }


def test_all_others_are_declared():
    by_hand = {getattr(ft, name, None) for name in BY_HAND}
    assert not others_in(map(vars, (ft, functional, linalg, fft, special)), by_hand)


def test_a_handwritten_function_is_detected():
    assert "clone" in others_in([vars(ft)], set())


def test_listed_handwritten_functions_are_public():
    for name in BY_HAND:
        assert callable(getattr(ft, name, None) or getattr(ft.Tensor, name))
        assert name not in {function.name for function in declared if not function.label}


if __name__ == "__main__":
    print(json.dumps({name: calls_of(function) for name, (function, _) in CALLS.items()}))
