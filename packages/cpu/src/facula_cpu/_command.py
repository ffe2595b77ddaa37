"""The command `facula-run`, which replaces this process by the C program in this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).with_name("facula-run")


def main() -> NoReturn:
    """Run the program with this command's arguments."""
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
