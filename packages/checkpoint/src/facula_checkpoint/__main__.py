"""python -m facula_checkpoint show FILE ...: the tensors in files, and the names that they use. Nothing is built."""

from __future__ import annotations

import argparse
import os
import sys

from facula_errors import FaculaError

from ._show import described


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m facula_checkpoint",
        description="List the contents of PyTorch's files and of safetensors files. Nothing in them is built or run.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="show")
    show = commands.add_parser(
        "show", help="tensors, their dtypes, shapes and sizes, and the classes that a file names"
    )
    show.add_argument("files", nargs="+", metavar="FILE")
    status = 0
    for path in parser.parse_args(arguments).files:
        try:
            for line in described(os.fspath(path)):
                print(line)
        except (FaculaError, OSError) as error:
            print(f"show: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # whoever reads this has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
