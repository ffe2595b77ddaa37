"""The commands: train a network, or read a digit with it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time

import facula

from . import data, plotting, reading, training
from .network import Network

PROGRAM = "facula.examples.digits"


class Given(argparse.Namespace):
    """Options of the command line."""

    read: str | None
    checkpoint: str
    picture: str
    epochs: int
    batch: int
    rate: float
    seed: int


def command(*arguments: str) -> str:
    """Return the command that runs this program again from the current folder."""
    python = min(sys.executable, os.path.relpath(sys.executable), key=len)
    return shlex.join([python, "-m", PROGRAM, *arguments])


def how_to_read(checkpoint: str) -> str:
    """Return the command that reads a digit with the saved network."""
    where = [] if checkpoint == "digits.safetensors" else ["--checkpoint", checkpoint]
    return f"read a digit with it (a number of the data set, or an image file):\n  {command('--read', '18', *where)}"


def counted(count: int, what: str) -> str:
    """Format a count: "1 epoch", "2 epochs"."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def train(given: Given) -> int:
    """Load, train, save, plot, and print the accuracy on the held-out digits."""
    facula.manual_seed(given.seed)
    digits = data.load()
    run = training.Run(Network())
    started = time.perf_counter()
    try:
        training.train(run, digits, given.epochs, given.batch, given.rate, given.checkpoint)
    except KeyboardInterrupt:
        run.accuracy = training.accuracy(run.network, digits.held_out)
        run.save(given.checkpoint)
        print(f"\nstopped after {counted(len(run.losses), 'step')}; {given.checkpoint} holds the network as it is")
        print(f"accuracy {100 * run.accuracy:.1f} % on {len(digits.held_out)} digits that it has not seen")
        print(how_to_read(given.checkpoint))
        return 130
    seconds = time.perf_counter() - started
    count = len(digits.training)
    print(f"trained on {count:,} digits for {counted(run.epochs, 'epoch')} in {seconds:.1f} s")
    print(f"accuracy {100 * run.accuracy:.1f} % on {len(digits.held_out)} digits that it has not seen")
    try:
        plotting.draw(run, digits, given.picture)
    except KeyboardInterrupt:
        print(f"\nstopped while drawing; {given.checkpoint} holds the network, and {given.picture} is as it was before")
        print(how_to_read(given.checkpoint))
        return 130
    except (OSError, ValueError) as error:
        print(f"{PROGRAM}: {given.picture}: not drawn: {error}", file=sys.stderr)
        print(f"the network is in {given.checkpoint}")
        print(how_to_read(given.checkpoint))
        return 1
    print(f"the network is in {given.checkpoint}, its loss and misread digits in {given.picture}")
    print(how_to_read(given.checkpoint))
    return 0


def read(wanted: str, checkpoint: str) -> int:
    """Load the network, find the digit, and print the result."""
    try:
        network = reading.load(checkpoint)
    except FileNotFoundError:
        print(f"{PROGRAM}: there is no checkpoint {checkpoint}; train first: {command()}", file=sys.stderr)
        return 1
    image, what = reading.find(wanted)
    print(f"{what}:\n\n{reading.show(image)}\n\n{reading.report(network, image)}")
    return 0
