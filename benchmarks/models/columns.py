"""The columns of the table: each trains the same model in its own way, in a separate process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ..run import TUNED_MALLOC
from .training import Training, step_of

Step = Callable[..., Any]
# Compiling in the process itself leaves no compiler processes behind that compete for the cores.
COMPILER = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}


def eager(F: Any, training: Training) -> tuple[Step, Training]:
    """Return the step as it is, and the training."""
    return step_of(F, training), training


def direct(F: Any, training: Training) -> tuple[Step, Training]:
    """Compute convolutions as direct sums, not by fast algorithms."""
    F.backends.cpu.convolution = "direct"
    return eager(F, training)


def captured(F: Any, training: Training) -> tuple[Step, Training]:
    """Capture the step; the reason is raised if that is not possible."""
    return F.capture(step_of(F, training), on_break="error"), training


def channels_last(F: Any, training: Training) -> tuple[Step, Training]:
    """Store images and weights of convolutions with the channels as the last dimension."""
    training.model.to(memory_format=F.channels_last)
    batch = tuple(x.to(memory_format=F.channels_last) if x.ndim == 4 else x for x in training.batch)
    return eager(F, training._replace(batch=batch))


def compiled(F: Any, training: Training) -> tuple[Step, Training]:
    """Compile the loss, and with it its gradient; the optimizer's fused loops stay eager."""
    return eager(F, training._replace(loss=F.compile(training.loss)))


class Column(NamedTuple):
    """A way to train: its title, library, a function that prepares the step, and variables for its process."""

    title: str
    library: str
    prepare: Callable[[Any, Training], tuple[Step, Training]]
    environment: Mapping[str, str] = MappingProxyType({})
    convolutions: bool = False  # only for models with convolutions


COLUMNS = {
    "facula": Column("facula", "facula", eager),
    "captured": Column("facula captured", "facula", captured),
    "direct": Column("facula direct", "facula", direct, convolutions=True),
    "torch": Column("PyTorch", "torch", eager),
    "channels_last": Column("PyTorch channels_last", "torch", channels_last, convolutions=True),
    "malloc": Column("PyTorch tuned malloc", "torch", eager, TUNED_MALLOC),
    "compile": Column("torch.compile", "torch", compiled, COMPILER),
}
