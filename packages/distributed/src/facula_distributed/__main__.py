"""The command line: `python -m facula_distributed --nproc 4 train.py` runs a program on four ranks of this machine.

With --nnodes, or under srun, the same command starts on each of several machines.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from facula_multiprocessing.extend import add_program, run_program

from ._launch.options import add_options, launch
from ._launch.rank import run_rank


def main() -> None:
    """Parse the command line and run the program."""
    parser = argparse.ArgumentParser(prog="python -m facula_distributed", description=__doc__, allow_abbrev=False)
    add_options(parser)
    add_program(parser)
    given = parser.parse_args()
    if not given.is_module and not os.path.isfile(given.target):
        parser.error(f"expected a Python file; got {given.target!r}")
    program = partial(run_program, given.target, given.arguments, is_module=given.is_module)
    if given.nproc is not None:
        command = [sys.executable, "-m", "facula_distributed", *(["-m"] if given.is_module else []), given.target]
        sys.exit(launch(given, [*command, *given.arguments], program))
    run_rank(program)


if __name__ == "__main__":
    main()
