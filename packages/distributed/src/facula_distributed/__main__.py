"""The command line: `python -m facula_distributed --nproc 4 train.py` runs a program on four ranks of this machine."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from functools import partial

from ._launch.options import add_options, launch
from ._launch.rank import run_rank


def _program(target: str, arguments: list[str], is_module: bool) -> None:
    """Run a program as `python TARGET ARGUMENTS` does."""
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.realpath(target))
    sys.argv = [target, *arguments]
    if is_module:
        runpy.run_module(target, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(target, run_name="__main__")


def main() -> None:
    """Parse the command line and run the program."""
    parser = argparse.ArgumentParser(prog="python -m facula_distributed", description=__doc__, allow_abbrev=False)
    add_options(parser)
    parser.add_argument("-m", dest="is_module", action="store_true", help="run a module, as python -m does")
    parser.add_argument("target", metavar="script", help="a Python file, or with -m the name of a module")
    rest = parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own")
    rest.required = False  # otherwise argparse would report it as missing together with the script
    given = parser.parse_args()
    if not given.is_module and not os.path.isfile(given.target):
        parser.error(f"expected a Python file; got {given.target!r}")
    if given.nproc is not None:
        command = [sys.executable, "-m", "facula_distributed", *(["-m"] if given.is_module else []), given.target]
        sys.exit(launch(given, [*command, *given.arguments]))
    run_rank(partial(_program, given.target, given.arguments, given.is_module))


if __name__ == "__main__":
    main()
