"""Models whose parameters are averages over training; the names of facula_optim.swa_utils, and functions of modules."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_storage.extend.recording import current_recorder
from facula_tensor import Tensor, no_grad, tensor

from .._lookup.siblings import needs

with needs("facula.optim.swa_utils"):
    from facula_nn import BatchNorm1d, BatchNorm2d, Module
    from facula_optim.swa_utils import SWALR, get_ema_avg_fn, get_ema_multi_avg_fn, get_swa_avg_fn, get_swa_multi_avg_fn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from facula_tensor.extend.arguments import DeviceLike

    from .._types import AnyValue

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip


@boundary
class AveragedModel(Module):
    """A copy of a module, `self.module`, whose parameters are averages of the module's over training.

    `update_parameters(model)` adds the model's present parameters to the averages: the mean of all so far, or the
    result of a given function. A call runs the averaged module; its state contains the count, "n_averaged".

    Arguments:
        model: the module that is copied.
        device: the device of the copy; by default that of the module.
        avg_fn: `avg_fn(averaged, current, n_averaged)` returns the new average of one parameter.
        multi_avg_fn: the same for lists of all of them, in place.
        use_buffers: average the buffers too; otherwise they are copied.

    Raises:
        ValueError: both functions are given.

    >>> from facula_nn import Linear
    >>> model = Linear(1, 1, bias=False)
    >>> averaged = AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = model.weight.data.fill_(value)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item()
    3.0
    """

    use_buffers: bool

    module: Module
    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: DeviceLike | None = None,
        avg_fn: Callable[[Tensor, Tensor, Tensor | int], Tensor] | None = None,
        multi_avg_fn: Callable[[list[Tensor], list[Tensor], Tensor | int], None] | None = None,
        use_buffers: bool = False,
    ):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise InvalidValueError("AveragedModel: expected avg_fn or multi_avg_fn; got both")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn: Callable[[Tensor, Tensor, Tensor | int], Tensor] | None = avg_fn
        self.multi_avg_fn: Callable[[list[Tensor], list[Tensor], Tensor | int], None] | None = multi_avg_fn
        self.use_buffers: bool = use_buffers

    def forward(self, *args: object, **kwargs: object) -> AnyValue:
        """Call the averaged module."""
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Add the present parameters of `model` to the averages; the first are copied."""
        averaged: list[Tensor] = list(self.module.parameters())
        current: list[Tensor] = list(model.parameters())
        kept, buffers = list(self.module.buffers()), list(model.buffers())
        if self.use_buffers:
            averaged, current, kept, buffers = averaged + kept, current + buffers, [], []
        if len(averaged) != len(current) or any(a.shape != b.shape for a, b in zip(averaged, current)):
            raise InvalidValueError(
                f"AveragedModel.update_parameters: expected the model that was copied, with {len(averaged)} "
                f"parameters; got one with {len(current)}, or with others of these"
            )
        current = [
            new.detach() if new.device is old.device else new.detach().to(old.device)
            for old, new in zip(averaged, current)
        ]

        def copy() -> None:
            for old, new in zip(averaged, current):
                old.copy_(new)

        def average() -> None:
            if self.avg_fn is not None:
                for old, new in zip(averaged, current):
                    old.copy_(self.avg_fn(old.detach(), new, self.n_averaged))
            else:
                (self.multi_avg_fn or get_swa_multi_avg_fn())([p.detach() for p in averaged], current, self.n_averaged)

        if current_recorder() is not None:  # a captured step, whose replays query it again
            from facula_jit import cond

            cond(self.n_averaged == 0, copy, average)
        else:
            copy() if self.n_averaged.item() == 0 else average()
        for old, new in zip(kept, buffers):
            old.copy_(new)
        self.n_averaged += 1


@boundary
@no_grad()
def update_bn(loader: Iterable[AnyValue], model: Module, device: DeviceLike | None = None) -> None:
    """Recompute the running means and variances of batch normalization over all batches of a loader.

    The model's training mode and its layers' momentum are restored afterwards.

    Arguments:
        loader: yields batches that are the model's input, or tuples or lists that begin with it.
        model: the module whose layers are updated.
        device: the device that batches are moved to; by default they stay.
    """
    layers = {module: module.momentum for module in model.modules() if isinstance(module, (BatchNorm1d, BatchNorm2d))}
    if not layers:
        return
    training = model.training
    model.train()
    try:
        for layer in layers:
            layer.reset_running_stats()
            layer.momentum = None
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))
    finally:
        for layer, momentum in layers.items():
            layer.momentum = momentum
        model.train(training)
