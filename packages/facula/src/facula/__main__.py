"""The command line: `python -m facula run SCRIPT` runs a program written for PyTorch, unchanged.

The program's `import torch` loads facula, and `import torch.nn` loads facula.nn; so do the processes that it starts.
`python -m facula run -m MODULE` runs a module, such as pytest, in the same way. `python -m facula profile` does the
same, and records where the time goes. `python -m facula run --nproc 4 SCRIPT` runs the program on four processes, which
`init_process_group` connects. `python -m facula info` prints versions, kernels, threads and devices, for reports.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from importlib.util import find_spec

from facula_multiprocessing.extend import add_program, run_program

from . import _profile_program, version
from ._interop.aliases import FOLDER, begin, is_installed


def run(target: str, arguments: list[str], *, is_module: bool = False) -> None:
    """Run a script like `python SCRIPT ARGUMENTS`, or a module like `python -m MODULE`, with facula in place of torch.

    Arguments:
        target: the script's path or the module's name.
        arguments: the program's command-line arguments.
        is_module: whether `target` is a module.
    """
    try:
        run_program(target, arguments, is_module=is_module, prepare=_replace_torch)
    except ModuleNotFoundError as error:
        if error.name == "torchvision":
            error.add_note(
                "torchvision runs on facula. Install it without PyTorch: pip install --no-deps torchvision pillow"
            )
        raise


def _replace_torch() -> None:
    begin("run")
    paths = os.environ.get("PYTHONPATH")
    # for programs that this one starts
    os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, paths] if paths else [FOLDER])


def main() -> None:
    """Parse the command line and run the command."""
    parser = argparse.ArgumentParser(prog="python -m facula", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"facula {version.facula}")
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="run a PyTorch program with facula in the place of torch")
    profiles = commands.add_parser(
        "profile", help="the same, and record where the time goes", allow_abbrev=False,
        description=_profile_program.DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    _profile_program.add_arguments(profiles)
    if find_spec("facula_distributed") is not None:
        from facula_distributed.extend import add_options

        add_options(runs)
    commands.add_parser("info", help="print versions, kernels, threads and devices, for reports")
    for command in (runs, profiles):
        add_program(command)
    given = parser.parse_args()
    if given.command == "info":
        from .utils.collect_env import main as print_information

        print_information()
        return
    if "torch" in sys.modules and not is_installed():
        parser.error("torch is loaded already in this process, so names cannot mean facula; start Python without it")
    if not given.is_module and not os.path.isfile(given.target):
        parser.error(f"{given.command}: expected a Python file; got {given.target!r}")
    program = partial(run, given.target, given.arguments, is_module=given.is_module)
    if getattr(given, "nproc", None) is not None:
        from facula_distributed.extend import launch

        rank = [sys.executable, "-m", "facula", "run", *(["-m"] if given.is_module else []), given.target]
        sys.exit(launch(given, [*rank, *given.arguments], program))
    if given.command == "profile":
        _profile_program.profile_program(given, program)
    elif "FACULA_BOARD" in os.environ:  # one of the processes of a launcher
        from facula_distributed.extend import run_rank

        run_rank(program)
    else:
        program()


if __name__ == "__main__":
    main()
