"""The command line: `python -m facula run SCRIPT` runs a program written for PyTorch, unchanged.

In it `import torch` gives facula, and `import torch.nn` facula.nn; so it is in the processes that it starts.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from . import version


def run(script: str, arguments: list[str]) -> None:
    """Run a script as `python SCRIPT ARGUMENTS` would, with facula in the place of torch."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_stand_in")
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    sys.path.insert(0, folder)
    paths = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, paths] if paths else [folder])  # for programs that it starts
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m facula", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"facula {version.facula}")
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="run a PyTorch program with facula in the place of torch")
    runs.add_argument("script", help="a Python file")
    rest = runs.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    rest.required = False  # or it would be missed together with the script
    given = parser.parse_args()
    if "torch" in sys.modules:
        parser.error("torch is loaded already in this process, so names cannot mean facula; start Python without it")
    if not os.path.isfile(given.script):
        parser.error(f"run: expected a Python file; got {given.script!r}")
    run(given.script, given.arguments)


if __name__ == "__main__":
    main()
