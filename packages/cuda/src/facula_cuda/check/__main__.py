"""The command `python -m facula_cuda.check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ._report import STEPS
from ._runner import run_all, run_step

DESCRIPTION = """\
Check facula's CUDA backend on this machine. Each step runs in a process of its own and writes FOLDER/STEP.json when it
ends, so that a step that fails, hangs or loses the device costs its own results only. FOLDER/summary.txt has all
results, failed checks first. The exit status is 0 if all checks hold. No network is needed. Steps that need facula or
PyTorch are left out, and named, where these are not installed."""


def _steps() -> str:
    width = max(map(len, STEPS))
    return "steps, in order:\n" + "\n".join(f"  {name:{width}}  {step.summary}" for name, step in STEPS.items())


def main(arguments: list[str]) -> int:
    """Run the command, and return its exit status: 0 if all checks hold."""
    parser = argparse.ArgumentParser(
        prog="python -m facula_cuda.check",
        description=DESCRIPTION,
        epilog=_steps(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", choices=[[], *STEPS], help="steps to run, all by default")
    parser.add_argument("--out", type=Path, default=Path("cuda_check"), metavar="FOLDER", help="folder for the results")
    parser.add_argument("--minutes", type=float, default=9.0, help="time for all steps, 9 by default")
    parser.add_argument("--simulate", action="store_true", help="simulate a device on the CPU, with little work")
    parser.add_argument("--step", choices=list(STEPS), help=argparse.SUPPRESS)
    parser.add_argument("--small", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=60.0, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.step:
        run_step(given.step, given.simulate, given.small, given.seconds, lambda line: print(line, flush=True))
        return 0
    return not run_all(given.out, given.minutes, given.simulate, given.steps)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
