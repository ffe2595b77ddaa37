"""The command line: trains, or reads a digit."""

from __future__ import annotations

import argparse
import math
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .commands import PROGRAM, Given, read, train

if TYPE_CHECKING:
    from collections.abc import Callable

NEEDED = {"sklearn": "scikit-learn", "tqdm": "tqdm", "matplotlib": "matplotlib"}


def options() -> Given:
    """Parse the command line. Requests that cannot succeed end the program here, before any work."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {PROGRAM}",
        description="Train a small convolutional network on real handwritten digits, or read a digit with it.",
        epilog="Ctrl-C stops the training and keeps the network as it is then.",
    )
    add = parser.add_argument
    add("--read", metavar="WHAT", help="read this digit: its number in the data set (0 to 1796), or an image file")
    add("--checkpoint", metavar="PATH", default="digits.safetensors", help="the network's file (%(default)s)")
    add("--picture", metavar="PATH", default="digits.png", help="a picture of loss and misread digits (%(default)s)")
    add("--epochs", type=number(int, 1), default=30, help="passes over the training digits (%(default)s)")
    add("--batch", type=number(int, 1), default=64, help="digits a step (%(default)s)")
    add("--rate", type=number(float, 0), default=0.005, help="learning rate at the beginning (%(default)s)")
    add("--seed", type=number(int, 0), default=0, help="for weights, order and dropout (%(default)s)")
    given = parser.parse_args(namespace=Given())
    missing = [name for module, name in NEEDED.items() if not find_spec(module)]
    if missing:
        parser.error(
            f"{', '.join(missing)} not installed; the extra `examples` of facula has them, or install them with: "
            f"pip install {' '.join(missing)}"
        )
    if given.read is None:
        for name in ("checkpoint", "picture"):
            check_writable(parser, f"--{name}", getattr(given, name))
        if os.path.realpath(given.checkpoint) == os.path.realpath(given.picture):
            parser.error(f"--picture: expected another file than the checkpoint; got {given.picture!r} for both")
        check_format(parser, given.picture)
    return given


def number(kind: type[int] | type[float], least: int) -> Callable[[str], float]:
    """Return a parser of an argument that is a number of at least `least`."""
    expected = f"a whole number from {least} to 2**63 - 1" if kind is int else f"a finite number of at least {least}"

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = -1
        if not least <= value < (2**63 if kind is int else math.inf):
            raise argparse.ArgumentTypeError(f"expected {expected}; got {text!r}")
        return value

    return read


def check_writable(parser: argparse.ArgumentParser, option: str, path: str) -> None:
    """End the program unless a file can be written at `path`."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        parser.error(f"{option}: expected a path in a folder that is there; got {path!r}")
    if os.path.isdir(path):
        parser.error(f"{option}: expected a path for a file; got the folder {path!r}")
    if not os.access(folder, os.W_OK):
        parser.error(f"{option}: the folder of {path!r} is write-protected; choose another")


def check_format(parser: argparse.ArgumentParser, path: str) -> None:
    """End the program unless a picture can be written in the format of the path's suffix."""
    from matplotlib.backend_bases import FigureCanvasBase

    formats = FigureCanvasBase.get_supported_filetypes()
    ending = os.path.splitext(path)[1][1:].lower()
    if ending and ending not in formats:
        parser.error(f"--picture: expected a path that ends in one of {', '.join(sorted(formats))}; got {path!r}")


def main() -> int:
    """Run the command; report errors of files in one line, without a traceback."""
    try:
        given = options()
        status = train(given) if given.read is None else read(given.read, given.checkpoint)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of the output, such as `head`, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # otherwise Python would fail to flush at exit
        return 0
    except KeyboardInterrupt:
        print(f"{PROGRAM}: stopped", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
