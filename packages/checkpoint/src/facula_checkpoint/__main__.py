"""python -m facula_checkpoint show FILE ...: list the tensors in files and the names in them, without building them.

python -m facula_checkpoint check FILE ...: verify the checksums of PyTorch's zip archives.
"""

from __future__ import annotations

import argparse
import os
import sys

from facula_errors import FaculaError

from ._show import checked, described


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m facula_checkpoint",
        description="List the contents of PyTorch's files and of safetensors files. Nothing in them is built or run.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="show|check")
    show = commands.add_parser(
        "show", help="tensors, their dtypes, shapes and sizes, and the classes that a file names"
    )
    check = commands.add_parser("check", help="compare the bytes of PyTorch's zip archives with their checksums")
    for command in (show, check):
        command.add_argument("files", nargs="+", metavar="FILE")
    given = parser.parse_args(arguments)
    status = 0
    for path in given.files:
        try:
            for line in described(path) if given.command == "show" else [checked(path)]:
                print(line)
        except (FaculaError, OSError) as error:
            print(f"{given.command}: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader of the output closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
