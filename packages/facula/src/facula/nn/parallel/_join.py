"""The part of a DistributedDataParallel model in a `Join` context."""

from __future__ import annotations

from typing import Any

from ..._lookup.siblings import needs

with needs("facula.nn.parallel"):
    from facula_distributed.extend import JoinHook, copy_model, count_ranks, find_rank


class Shadow(JoinHook):
    """The work of a process without batches.

    Arguments:
        model: its DistributedDataParallel.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def main_hook(self) -> None:
        model = self.model
        if model.reducer is None:
            return
        model.reducer.divisor = 1 if model._join_config.is_first and not model._divides_by_all else None
        model._copy_buffers(is_joined=True)
        model.require_forward_param_sync = count_ranks(model._group(), False) > 0
        if model.require_forward_param_sync:
            model.reducer.shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        model = self.model
        if model.reducer is None:
            return
        model.reducer.divisor = None
        root = find_rank(model._group(), is_last_joiner)
        named = model._kept(model.module.named_parameters(), model.module.named_buffers())
        copy_model(model._group(), [tensor for _, tensor in named], root)
