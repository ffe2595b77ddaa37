"""What a file describes, without building it: its names, and an outline of its object."""

from __future__ import annotations

from .._errors import CheckpointError
from .._streams import File, opened, resolved
from .machine import Machine
from .opcodes import OPCODES
from .reading import Start
from .skimming import Skim
from .sources import FileSource, Source, StreamSource
from .tables import PickleError, Value, renamed


def names_in(file: File) -> list[tuple[str, str]]:
    """Module and name of each class and function that a file of PyTorch's uses. CheckpointError for other files."""
    target = resolved("load", file, "read")
    if isinstance(target, str):
        with opened(target) as (descriptor, size):
            _, table = skim(FileSource(target, descriptor, size))
    else:
        source = StreamSource(target)
        _, table = skim(source)
        source.finish(0)
    names = [renamed(*one.split(" ", 1)) for one in table.names]
    return [(module, name) for module, _, name in [one.partition(" ") for one in names]]


def skim(source: Source) -> tuple[Value, Skim]:
    """What a file describes, without building it: for `python -m facula_checkpoint show`. CheckpointError."""
    try:
        start, table = Start(source), Skim()
        value = Machine(start.pickle, start.begin, table, table.persistent).run(OPCODES)
        return value, table
    except PickleError as error:
        raise CheckpointError(source.name, str(error)) from None
