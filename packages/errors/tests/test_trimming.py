"""Trimmed tracebacks contain the program's frames and none of the library's, wherever they are displayed."""

import concurrent.futures
import copy
import doctest
import inspect
import io
import logging
import os
import pdb
import pickle
import subprocess
import sys
import threading
import traceback
import warnings
from pathlib import Path

import errors_library as library
import pytest

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError, full_traceback
from facula_errors.extend import in_library, is_boundary
from facula_errors.testing import raises

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def trimmed():
    with full_traceback(False):
        yield


def caught(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def names(error):
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def library_frames(error):
    return [frame for frame, _ in traceback.walk_tb(error.__traceback__) if in_library(frame)]


FAILING = [
    lambda: library.root(-1),
    lambda: library.root(-1, scale=2),
    lambda: library.quick(-1),
    lambda: library.by_trial(1),
    lambda: library.explained(),
    lambda: library.through_python(),
    lambda: list(library.numbers(-1)),
    lambda: list(library.Thing()),
    lambda: library.Thing(-1),
    lambda: library.Thing.made(-1),
    lambda: library.Thing.free(-1),
    lambda: setattr(library.Thing(), "value", -1),
]


@pytest.mark.parametrize("place", range(len(FAILING)))
def test_the_programs_line_comes_last(place):
    error = caught(FAILING[place])
    assert isinstance(error, FaculaError)
    assert names(error) == ["caught", "<lambda>"]
    assert error.__context__ is None or error.__suppress_context__ or error.__cause__ is not None


@pytest.mark.parametrize("place", range(len(FAILING)))
def test_all_frames_are_there_on_request(place):
    with full_traceback(True):
        assert library_frames(caught(FAILING[place]))
    assert not library_frames(caught(FAILING[place]))


def hook(x):
    return library.root(x)


def own(x):
    raise ValueError("own")


def test_each_crossing_keeps_the_programs_frames():
    def outer():
        return library.Thing()(lambda: library.call(hook, -1))

    assert names(caught(outer)) == ["caught", "outer", "<lambda>", "hook"]


@pytest.mark.parametrize("function", [lambda: library.call(own, 1), library.bug])
def test_any_other_exception_is_whole(function):
    error = caught(function)
    assert not isinstance(error, FaculaError)
    assert [frame.f_code.co_name for frame in library_frames(error)][-1] in ("inside", "<lambda>")
    assert len(library_frames(error)) >= 3


def test_a_context_that_never_left_the_library_is_hidden_and_kept():
    error = caught(library.by_trial, 1)
    assert type(error.__context__) is KeyError and error.__suppress_context__
    assert "KeyError" not in "".join(traceback.format_exception(error))
    with full_traceback():
        assert "KeyError" in "".join(traceback.format_exception(caught(library.by_trial, 1)))


def test_an_exception_that_the_program_was_handling_is_shown():
    def handling():
        try:
            {}["mine"]
        except KeyError:
            library.root(-1)

    text = "".join(traceback.format_exception(caught(handling)))
    assert "KeyError: 'mine'" in text and "During handling" in text


def test_a_cause_is_shown_and_trimmed():
    error = caught(library.explained)
    assert type(error.__cause__) is InvalidValueError and error.__cause__.__traceback__ is None
    assert "direct cause" in "".join(traceback.format_exception(error))


def test_a_program_may_raise_the_librarys_errors():
    def mine():
        raise InvalidTypeError("mine")

    assert names(caught(library.call, mine)) == ["caught", "mine"]


def test_called_by_no_python_code_one_frame_is_left():
    done = threading.Event()
    seen = []
    former = sys.unraisablehook
    sys.unraisablehook = lambda what: (seen.append(what.exc_traceback), done.set())
    try:
        import _thread

        _thread.start_new_thread(library.root, (-1,))
        assert done.wait(600)
    finally:
        sys.unraisablehook = former
    assert [frame.f_code.co_name for frame, _ in traceback.walk_tb(seen[0])] == ["call"]


# ------------------------------------------------------------------------------------------ where they are shown
PROGRAM = """
import errors_library as library

def step(x):
    return library.root(x)
"""
FRAMES = ["in step", "return library.root(x)"]


def run(tail, *options, **environment):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)]), **environment}
    env.pop("FACULA_FULL_TRACEBACK", None) if "FACULA_FULL_TRACEBACK" not in environment else None
    done = subprocess.run(
        [sys.executable, *options, "-c", PROGRAM + tail], capture_output=True, text=True, env=env, timeout=600
    )
    return done.stdout + done.stderr


TAILS = {
    "terminal": "step(-1)",
    "thread": "import threading\nt = threading.Thread(target=step, args=(-1,))\nt.start(); t.join()",
    "pool": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(1) as pool:\n    pool.submit(step, -1).result()",
    "print_exc": "import traceback\ntry:\n    step(-1)\nexcept ValueError:\n    traceback.print_exc()",
    "logging": "import logging\ntry:\n    step(-1)\nexcept ValueError:\n    logging.exception('failed')",
    "asyncio": "import asyncio\nasync def main():\n    step(-1)\nasyncio.run(main())",
}


@pytest.mark.parametrize("where", TAILS)
def test_as_shown_in(where):
    text = run(TAILS[where])
    assert "facula_errors.InvalidValueError: check: expected 0 or more; got -1" in text
    assert "in step" in text and "errors_library.py" not in text and "_trimming.py" not in text


@pytest.mark.parametrize("where", TAILS)
def test_undone_by_the_environment_in(where):
    text = run(TAILS[where], FACULA_FULL_TRACEBACK="1")
    assert "in step" in text and "errors_library.py" in text and "in check" in text


@pytest.mark.parametrize(("value", "full"), [("", False), ("0", False), ("1", True)])
def test_values_of_the_environment_variable(value, full):
    assert ("errors_library.py" in run("step(-1)", FACULA_FULL_TRACEBACK=value)) is full


def test_the_variable_is_read_at_the_first_error():
    tail = "import os\nos.environ['FACULA_FULL_TRACEBACK'] = '1'\nstep(-1)"
    assert "errors_library.py" in run(tail)


def test_no_hook_is_installed():
    tail = (
        "import sys, threading\n"
        "print(sys.excepthook is sys.__excepthook__, threading.excepthook is threading.__excepthook__, sys.gettrace())"
    )
    assert run(tail).strip() == "True True None"


def test_post_mortem_is_in_the_programs_frame():
    error = caught(hook, -1)
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("p x\nwhere\nquit\n"), stdout=output, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.reset()
    debugger.interaction(None, error.__traceback__)
    assert "-1" in output.getvalue() and "return library.root(x)" in output.getvalue()


def test_in_a_notebook():
    pytest.importorskip("IPython")
    tail = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='NoColor')\n"
        "shell.user_ns['step'] = step\n"
        "shell.run_cell('y = 1\\nstep(-1)')"
    )
    text = run(tail)
    assert "InvalidValueError" in text and "step" in text and "errors_library.py" not in text


def test_in_pytest(tmp_path):
    (tmp_path / "test_it.py").write_text(PROGRAM + "\ndef test_it():\n    step(-1)\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, sys.path)])}
    env.pop("FACULA_FULL_TRACEBACK", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    text = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env).stdout
    assert "return library.root(x)" in text and "errors_library.py" not in text


def test_excinfo_has_the_programs_frames():
    with pytest.raises(ValueError, match="expected 0") as info:
        hook(-1)
    assert [entry.name for entry in info.traceback] == ["test_excinfo_has_the_programs_frames", "hook"]


def test_loggers_and_futures_in_this_process(caplog):
    try:
        hook(-1)
    except FaculaError:
        logging.getLogger("here").exception("failed")
    assert "in hook" in caplog.text and "errors_library.py" not in caplog.text
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        error = pool.submit(hook, -1).exception()
    assert names(error)[-1] == "hook" and not library_frames(error)


# -------------------------------------------------------------------------------------- attributes of wrappers
def test_a_boundary_looks_like_its_function():
    assert library.root.__name__ == "root" and library.root.__doc__ == "The square root."
    assert str(inspect.signature(library.root)) == "(x, *, scale=1)"
    assert str(inspect.signature(library.Thing)) == "(size=0)"
    assert library.root.__module__ == "errors_library" and library.root.__globals__ is vars(library)
    assert inspect.unwrap(library.root).__code__.co_name == "root"
    assert pickle.loads(pickle.dumps(library.root)) is library.root
    assert inspect.isgeneratorfunction(library.numbers)
    assert [test.name for test in doctest.DocTestFinder(exclude_empty=False).find(library)].count(
        "errors_library.root"
    ) == 1


def test_no_function_is_wrapped_twice():
    from facula_errors.extend import boundary

    assert boundary(library.root) is library.root and boundary(library.quick) is library.quick
    before = dict(vars(library.Thing))
    assert boundary(library.Thing) is library.Thing
    assert dict(vars(library.Thing)) == before


def test_coroutines_are_unchanged():
    from facula_errors.extend import boundary

    async def later():
        pass

    async def several():
        yield

    assert boundary(later) is later and boundary(several) is several


def test_which_members_of_a_class_are_boundaries():
    members = vars(library.Thing)
    assert all(is_boundary(members[name]) for name in ("__init__", "__call__", "__iter__"))
    assert is_boundary(members["made"].__func__) and is_boundary(members["free"].__func__)
    assert is_boundary(members["value"].fset) and not is_boundary(members["value"].fget)
    assert not is_boundary(members["forward"]) and not is_boundary(members["_private"])
    assert copy.copy(library.Thing(3)).size == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: library.root(),
        lambda: library.root(1, no_such=2),
        lambda: library.Thing(1, 2),
        lambda: [*library.numbers()],
    ],
)
def test_arguments_that_do_not_fit_show_no_library_frames(call):
    error = caught(call)
    assert type(error) is TypeError and not library_frames(error) and names(error)[-1] == "<lambda>"
    with full_traceback():
        assert library_frames(caught(call))


def test_other_errors_of_type_are_whole():
    error = caught(library.root, "text")
    assert type(error) is TypeError and library_frames(error)


def test_warnings_point_to_the_programs_line():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        library.deprecated()
    assert [Path(one.filename).name for one in heard] == ["test_trimming.py"]


# ------------------------------------------------------------------------------------------------------- the switch
def test_the_switch_lasts_and_a_block_ends_it():
    full_traceback(True)
    try:
        assert library_frames(caught(hook, -1))
        with full_traceback(False):
            assert not library_frames(caught(hook, -1))
        assert library_frames(caught(hook, -1))
    finally:
        full_traceback(False)
    assert not library_frames(caught(hook, -1))


@pytest.mark.parametrize("value", [1, "yes", None])
def test_the_switch_takes_a_bool(value):
    with raises(TypeError, "full_traceback", "expected a bool"):
        full_traceback(value)
    assert not library_frames(caught(hook, -1))
