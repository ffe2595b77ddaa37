"""Parts of a batch for several CUDA devices, and results joined from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from facula_errors.extend import boundary
from facula_tensor import Tensor, cat

from ... import cuda
from ..._lookup.siblings import needs

with needs("facula.nn.parallel"):
    from facula_nn import Module
    from facula_nn.utils.stateless import functional_call


@boundary
def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> tuple[Any, ...]:
    """Return `inputs` for each CUDA device, with the device's part of each tensor.

    There are fewer results than devices if a tensor has fewer parts. Objects other than tensors are in each result.

    Arguments:
        inputs: tensors, also in nested tuples, lists and dicts.
        target_gpus: the indices of the devices.
        dim: the dimension in which tensors are divided.
    """
    from ...utils._pytree import tree_flatten, tree_unflatten

    leaves, tree = tree_flatten(inputs)
    parts = [
        [part.to(f"cuda:{index}") for part, index in zip(leaf.chunk(len(target_gpus), dim), target_gpus, strict=False)]
        if isinstance(leaf, Tensor)
        else [leaf] * len(target_gpus)
        for leaf in leaves
    ]
    count = min(map(len, parts), default=1)
    return tuple([tree_unflatten([part[place] for part in parts], tree) for place in range(count)])


@boundary
def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the arguments and the keyword arguments for each CUDA device; see `scatter`."""
    both = scatter((tuple(inputs), dict(kwargs or {})), target_gpus, dim)
    return tuple([own for own, _ in both]), tuple([own for _, own in both])


@boundary
def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """Return results of several devices as one: tensors are joined on a device. Numbers form a vector.

    Arguments:
        outputs: results of the same structure. Of objects other than tensors, the first is returned.
        target_device: the device, or the index of a CUDA device.
        dim: the dimension in which tensors are joined.
    """
    from ...utils._pytree import tree_flatten, tree_unflatten

    device = f"cuda:{target_device}" if isinstance(target_device, int) else target_device
    found, tree = [tree_flatten(output)[0] for output in outputs], tree_flatten(outputs[0])[1]
    joined = [
        cat([one.to(device) if one.ndim else one.to(device).reshape(1) for one in leaves], dim if leaves[0].ndim else 0)
        if isinstance(leaves[0], Tensor)
        else leaves[0]
        for leaves in zip(*found, strict=True)
    ]
    return tree_unflatten(joined, tree)


def run_on_devices(
    module: Module, inputs: Sequence[tuple[Any, ...]], kwargs: Sequence[Mapping[str, Any]], devices: Sequence[int]
) -> list[Any]:
    """Return the results of a module for each device's arguments, with copies of its parameters and buffers there.

    Devices work at the same time although the calls are made one after another: they only queue work. Gradients go
    through the copies to the parameters. Changes of buffers on other devices than the first are lost.
    """
    results = []
    for place, (index, own, named) in enumerate(zip(devices, inputs, kwargs, strict=False)):
        with cuda.device(index):
            if not place:
                results.append(module(*own, **named))
                continue
            tensors = dict([*module.named_parameters(), *module.named_buffers()])
            copies = {name: tensor.to(f"cuda:{index}") for name, tensor in tensors.items()}
            results.append(functional_call(module, copies, own, dict(named)))
    return results
