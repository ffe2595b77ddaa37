"""The command `python -m facula_cuda.check`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ._report import STEPS
from ._runner import run_all, run_step


def main(arguments: list[str]) -> int:
    """Run the command, and return its exit status: 0 if all checks hold."""
    parser = argparse.ArgumentParser(prog="python -m facula_cuda.check", description="Check CUDA on this machine.")
    parser.add_argument("steps", nargs="*", choices=[[], *STEPS], help="steps to run, all by default")
    parser.add_argument("--out", type=Path, default=Path("cuda_check"), help="folder for the results")
    parser.add_argument("--minutes", type=float, default=9.0, help="time for all steps")
    parser.add_argument("--simulate", action="store_true", help="simulate a device on the CPU")
    parser.add_argument("--step", choices=list(STEPS), help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.step:
        print(json.dumps(run_step(given.step, given.simulate)), flush=True)
        return 0
    return not run_all(given.out, given.minutes, given.simulate, given.steps)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
