"""Training of one model in several processes, each with a part of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary, guarded
from facula_tensor import is_grad_enabled

from ..._functions.rare import device_index
from ..._lookup.names import publish
from ..._lookup.siblings import needs
from ..._types import AnyValue
from ...utils._pytree import tree_leaves
from ._join import Shadow
from .data_parallel import check_devices, on_device

with needs("facula.nn.parallel"):
    from facula_distributed.extend import (
        BufferCopies,
        Join,
        Joinable,
        JoinHook,
        Reducer,
        ShardingReducer,
        VirtualRanks,
        break_capture,
        check_equal_models,
        copy_model,
        count_ranks,
        default_group,
        find_rank,
        group_of,
    )
    from facula_nn import Module
    from facula_nn.extend import is_lazy
    from facula_nn.utils import clip_grad_norm_

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from facula_tensor import Tensor

    from ...distributed import ProcessGroup

__all__ = ["DistributedDataParallel"]

M = TypeVar("M", bound=Module)
NAME = "DistributedDataParallel"
BUCKET_MB = 25.0


@boundary
class DistributedDataParallel(Module, Joinable, Generic[M]):
    """A wrapper of `self.module` whose gradients are averages over all processes.

    The processes begin with the parameters and buffers of rank 0. While a backward pass runs, gradients are averaged in
    buckets: added in rank order, then divided once. So N processes compute the same bits as one that adds up the
    gradients of N batches in that order and divides the sums by N. Each `.grad` is a part of a bucket: the next pass
    overwrites it, so copy a gradient that you keep with `clone()`. Parameters are named like PyTorch's,
    "module.weight". Call `distributed.init_process_group` first, and this class in all processes.

    Arguments:
        module: the module, which has a parameter that requires a gradient.
        device_ids: the CUDA device of the module, to which tensors among the arguments are moved; or None.
        output_device: the CUDA device to which tensors among the results are moved; or None.
        dim: ignored.
        broadcast_buffers: copy the buffers of rank 0 to all processes before `forward`.
        init_sync: compare the models of the processes, and copy that of rank 0.
        process_group: the process group; all processes if None.
        bucket_cap_mb: the size of a bucket, in MiB; 25 if None.
        find_unused_parameters: gradients that a backward pass does not compute count as zeros. Those that no process
            computes are not changed.
        check_reduction: ignored.
        gradient_as_bucket_view: ignored: gradients always are.
        static_graph: all backward passes compute the same gradients. Parameters may be unused, or have several
            gradients in nested passes.
        mixed_precision: None: use `autocast`.
        device_mesh: None.
        virtual_ranks: a power of two, such as 8. Results are then the same, bit for bit, for each number of processes
            up to it that is a power of two. Training uses `micro_batches`.
        shard_gradients: after a backward pass, each process keeps the average of its part of the gradients only, which
            `distributed.optim.ZeroRedundancyOptimizer` uses. Create that before the first pass, and clip by
            `clip_grad_norm_` of the model. `.grad` only shows whether there is a gradient.

    Raises:
        ValueError: there is no process group, `device_ids` names several devices, or options exclude each other.
        RuntimeError: no parameter requires a gradient; the processes have different models. In `backward()`: processes
            lack gradients (without `find_unused_parameters`), or another one failed (RankError).
        NotImplementedError: `mixed_precision` or `device_mesh`.

    >>> import facula
    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> model = DistributedDataParallel(facula.nn.Linear(2, 1))
    >>> list(model.state_dict()), model(facula.ones(4, 2)).shape
    (['module.weight', 'module.bias'], facula.Size([4, 1]))
    >>> destroy_process_group()
    """

    module: M

    def __init__(
        self,
        module: M,
        device_ids: Sequence[object] | None = None,
        output_device: object = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        mixed_precision: object = None,
        device_mesh: object = None,
        *,
        virtual_ranks: int | None = None,
        shard_gradients: bool = False,
    ) -> None:
        if not isinstance(module, Module):
            raise InvalidTypeError(f"{NAME}: expected module to be a Module; got {type(module).__name__}")
        group = default_group() if process_group is None else group_of(NAME, process_group)
        if group is None:
            raise InvalidValueError(f"{NAME}: expected a process_group that this process is a member of; got another")
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise OperationError(
                f"{NAME}: expected a module with a parameter that requires a gradient; use it as it is"
            )
        if any(is_lazy(parameter) for parameter in module.parameters()):
            raise OperationError(f"{NAME}: expected parameters whose shape is known; call the module once before")
        if any(hasattr(parameter, "to_local") for parameter in module.parameters()):
            raise UnsupportedError(f"{NAME}: expected plain parameters; got DTensors; use fully_shard alone")
        if device_ids and len(device_ids) > 1:
            raise InvalidValueError(f"{NAME}: expected device_ids to be one device, the module's; got {device_ids}")
        devices = check_devices(NAME, module, device_ids or [])
        if mixed_precision is not None or device_mesh is not None:
            option = "device_mesh" if mixed_precision is None else "mixed_precision"
            raise UnsupportedError(f"{NAME}: expected {option}=None; other values are not implemented")
        if bucket_cap_mb is not None and not bucket_cap_mb > 0:
            raise InvalidValueError(f"{NAME}: expected bucket_cap_mb to be above 0; got {bucket_cap_mb}")
        if virtual_ranks is not None and find_unused_parameters:
            raise InvalidValueError(f"{NAME}: expected virtual_ranks or find_unused_parameters; unused ones are found")
        if shard_gradients and virtual_ranks is not None:
            raise InvalidValueError(
                f"{NAME}: expected virtual_ranks or shard_gradients; got both; leave one of them out"
            )
        Module.__init__(self)
        Joinable.__init__(self)
        self.module = module
        self.virtual_ranks, self.shard_gradients = virtual_ranks, shard_gradients
        self.process_group = group
        self.device = next(module.parameters()).device
        self.device_ids: list[int] | None = devices or None
        self.output_device: int | None = device_index(output_device, True)
        self.device_type = self.device.type
        self.dim, self.broadcast_buffers, self.bucket_cap_mb = dim, broadcast_buffers, bucket_cap_mb
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True
        self.parameters_to_ignore: set[str] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        if init_sync and group.size() > 1:
            named = self._kept(module.named_parameters(), module.named_buffers())
            check_equal_models(NAME, group, named)
            copy_model(group, [tensor for _, tensor in named])
        self._connect()

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(
        module: Module, params_and_buffers_to_ignore: Iterable[str]
    ) -> None:
        """Leave out some parameters and buffers of a module that will be wrapped, by their names."""
        module._ddp_params_and_buffers_to_ignore = set(params_and_buffers_to_ignore)

    def _kept(self, *several: Iterator[tuple[str, Tensor]]) -> list[tuple[str, Tensor]]:
        return [(name, one) for named in several for name, one in named if name not in self.parameters_to_ignore]

    def _connect(self, alone: bool = False) -> None:
        """Average gradients from now on; in a group of one process only if `alone`."""
        self.reducer: Reducer | None = None
        self._copies: BufferCopies | None = None
        self._buffer_places: list[tuple[dict[str, Tensor | None], str]] = []
        self._virtual: VirtualRanks | None = None
        group = self.process_group
        if self.virtual_ranks is not None:
            trained = [one for _, one in self._kept(self.module.named_parameters()) if one.requires_grad]
            self._virtual = VirtualRanks(trained, self.virtual_ranks, group)
            return
        if group is None or (group.size() == 1 and not alone):
            return
        named = [(name, one) for name, one in self._kept(self.module.named_parameters()) if one.requires_grad]
        limit = (BUCKET_MB if self.bucket_cap_mb is None else self.bucket_cap_mb) * 2**20
        kind = ShardingReducer if self.shard_gradients and group.size() > 1 else Reducer
        self.reducer = kind(group, named, limit, self.find_unused_parameters, self.static_graph)
        if self.broadcast_buffers and group.size() > 1:
            self._copies = BufferCopies(NAME, group)
            self._buffer_places = [
                (module._buffers, name)
                for prefix, module in self.module.named_modules()
                for name in module._buffers
                if f"{prefix}.{name}".removeprefix(".") not in self.parameters_to_ignore
            ]

    def forward(self, *inputs: object, **kwargs: object) -> AnyValue:
        if self.reducer is not None:
            self._begin_forward(self.reducer)
        elif self._virtual is not None and self.training and is_grad_enabled() and not self._virtual.is_active:
            raise OperationError(
                f"{NAME}: expected a call in a loop over micro_batches, because of virtual_ranks; gradients of others "
                "would not be averaged"
            )
        index = self.device_ids[0] if self.device_ids else None
        result = on_device(self.module(*on_device(inputs, index), **on_device(kwargs, index)), self.output_device)
        if self.reducer is not None and is_grad_enabled():
            self.reducer.expect(self.require_backward_grad_sync, tree_leaves(result))
        self.require_forward_param_sync = is_grad_enabled() and self.require_backward_grad_sync
        return result

    def _begin_forward(self, reducer: Reducer) -> None:
        if self._join_config.enable:
            break_capture(f"{NAME}.join")
        present, reducer.divisor = Join.notify_join_context(self), None
        if present is not None:
            present.wait()
            reducer.divisor = None if self._divides_by_all else int(present.result()[0].item())
        self._copy_buffers(is_joined=False)
        if self._join_config.enable:
            count_ranks(self._group(), is_grad_enabled() and self.require_backward_grad_sync)

    def _group(self) -> ProcessGroup:
        if self.process_group is None:
            raise InvalidValueError(f"{NAME}: expected a process group; call init_process_group before unpickling")
        return self.process_group

    def _copy_buffers(self, is_joined: bool) -> None:
        if self._copies is None:
            return
        buffers = [one for table, name in self._buffer_places if (one := table.get(name)) is not None]
        with_root = self._join_config.enable and self._copies.is_due and buffers
        self._copies.copy(buffers, find_rank(self._group(), not is_joined) if with_root else 0)

    @property
    def require_forward_param_sync(self) -> bool:
        """Whether the next forward pass copies the buffers of rank 0 to all processes, if `broadcast_buffers`."""
        return self._copies is None or self._copies.is_due

    @require_forward_param_sync.setter
    def require_forward_param_sync(self, value: bool) -> None:
        if self._copies is not None:
            self._copies.expect(value)

    @guarded
    def no_sync(self) -> Iterator[None]:
        """Keep the gradients of a block's forward and backward passes local; the next pass after it averages sums."""
        former, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = former

    def micro_batches(self, *batch: Any) -> Iterator[Any]:
        """Yield the micro-batches of this process; the gradients of all of them are averaged after the last one.

        With `virtual_ranks=M`, the batch of all processes consists of M micro-batches, of equal sizes and each with
        random numbers of its own. Gradients are added along one binary tree, which does not depend on the number of
        processes. Buffers, such as running statistics, are those of the micro-batches of each process.

        Arguments:
            batch: tensors with this process's part of the batch, along their first dimension.

        Yields:
            A part of the tensor, or a tuple of parts of several tensors.

        Raises:
            RuntimeError: the model has no `virtual_ranks`.
            ValueError: the number of samples cannot be divided.

        >>> import facula
        >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
        >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
        >>> model = DistributedDataParallel(facula.nn.Linear(2, 1), virtual_ranks=4)
        >>> for x, y in model.micro_batches(facula.ones(8, 2), facula.ones(8, 1)):
        ...     facula.nn.functional.mse_loss(model(x), y).backward()
        >>> x.shape, model.module.weight.grad.shape
        (facula.Size([2, 2]), facula.Size([1, 2]))
        >>> destroy_process_group()
        """
        if self._virtual is None:
            raise OperationError(f"micro_batches: expected {NAME}(..., virtual_ranks=M); got a model without it")
        break_capture(f"{NAME}.micro_batches")
        return self._virtual.micro_batches(*batch)

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Join:
        """Return a context in which processes may have different numbers of batches.

        A process without batches takes part with zeros. All processes end with the model of the last one.

        Arguments:
            divide_by_initial_world_size: divide gradients by the number of all processes, otherwise of those with
                batches.
            enable, throw_on_early_termination: as for `distributed.algorithms.Join`.
        """
        return Join([self], enable, throw_on_early_termination,
                    divide_by_initial_world_size=divide_by_initial_world_size)  # fmt: skip

    _divides_by_all = True

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return the hook of a `Join` context.

        Arguments:
            kwargs: `divide_by_initial_world_size`, as for `join`.
        """
        self._divides_by_all = bool(kwargs.get("divide_by_initial_world_size", True))
        return Shadow(self)

    @property
    def join_device(self) -> Any:
        """The module's device."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The process group."""
        return self.process_group

    def register_comm_hook(self, state: object, hook: Callable[[Any, Any], Any]) -> None:
        """Average gradients by a function: `hook(state, bucket)` returns a future of the averaged buffer.

        Functions for gradients in 16 bits are in `distributed.algorithms.ddp_comm_hooks.default_hooks`.

        Arguments:
            state: the first argument.
            hook: the function of a `distributed.GradBucket`. An exception in it ends all processes.

        Raises:
            TypeError: `hook` cannot be called.
            RuntimeError: there is a hook.
        """
        if not callable(hook):
            raise InvalidTypeError(f"register_comm_hook: expected hook to be callable; got {type(hook).__name__}")
        if self._virtual is not None:
            raise OperationError("register_comm_hook: expected a model without virtual_ranks; leave one of them out")
        if self.shard_gradients:
            raise OperationError("register_comm_hook: expected a model without shard_gradients; leave one of them out")
        if self.reducer is None:
            self._connect(alone=True)
        assert self.reducer is not None
        if self.reducer.hook is not None:
            raise OperationError("register_comm_hook: expected a model without a hook; wrap the module again")
        self.reducer.hook = lambda bucket: hook(state, bucket)

    @boundary
    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Tensor:
        """Scale all gradients in place by one factor, so that their total norm is at most `max_norm`.

        With `shard_gradients`, all processes call this, and receive the same norm. Otherwise it is
        `nn.utils.clip_grad_norm_`.

        Arguments:
            max_norm: the maximum norm, at least 0.
            norm_type: the norm's order; above 0 with `shard_gradients`.
            error_if_nonfinite: raise an error if the norm is not finite.

        Returns:
            The original norm, without dimensions.

        Raises:
            ValueError: `max_norm` or `norm_type` is out of range.
            RuntimeError: the norm is not finite, and `error_if_nonfinite` is set.
        """
        parameters = [one for one in self.module.parameters() if one.requires_grad]
        if isinstance(self.reducer, ShardingReducer):
            kept = [one for one in parameters if self.reducer.owns(one)]
            return self.reducer.clip(kept, max_norm, norm_type, error_if_nonfinite)
        return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)

    _get_ddp_logging_data = staticmethod(dict[str, object])  # Lightning looks for advice in it

    def _set_static_graph(self) -> None:
        """Treat all passes from now on as with `static_graph=True`."""
        self.static_graph = True
        if self.reducer is not None:
            self.reducer.set_static()

    def __getstate__(self) -> dict[str, object]:
        left = ("process_group", "reducer", "_copies", "_buffer_places", "_virtual")
        return {name: value for name, value in self.__dict__.items() if name not in left}

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__({**state, "process_group": default_group()})
        self._connect()


publish(__name__)
