"""Programs that a command line runs in its own process, as Python's command line does."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add arguments to a command line: `target`, a script or with -m a module, and the program's own `arguments`."""
    parser.add_argument("-m", dest="is_module", action="store_true", help="run a module, as python -m does")
    parser.add_argument("target", metavar="script", help="a Python file, or with -m the name of a module")
    rest = parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own")
    rest.required = False  # otherwise argparse would report it as missing together with the script


def run_program(
    target: str, arguments: list[str], *, is_module: bool = False, prepare: Callable[[], object] | None = None
) -> None:
    """Run a script as `python SCRIPT ARGUMENTS` does, or a module as `python -m MODULE ARGUMENTS`.

    Arguments:
        target: the script's path or the module's name.
        arguments: the program's command-line arguments.
        is_module: whether `target` is a module.
        prepare: called once the program's folder is in `sys.path`.
    """
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.realpath(target))
    if prepare is not None:
        prepare()
    sys.argv = [target, *arguments]
    sys.excepthook = partial(_show_error, sys.excepthook)
    if is_module:
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(target, run_name="__main__")


def _show_error(show: Hook, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Show an error without the calls that led to the program."""
    rest = traceback
    while rest is not None and rest.tb_frame.f_code is not run_program.__code__:
        rest = rest.tb_next
    if rest is not None:
        rest = rest.tb_next
        while rest is not None and rest.tb_frame.f_code.co_filename == runpy.run_path.__code__.co_filename:
            rest = rest.tb_next
        if rest is not None or isinstance(error, SyntaxError):
            traceback = rest
    show(kind, error.with_traceback(traceback), traceback)
