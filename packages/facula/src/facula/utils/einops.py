"""facula.utils.einops: einops' layers as modules of facula, like `einops.layers.torch`. Requires einops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from einops.layers import RearrangeMixin, ReduceMixin
from einops.layers._einmix import _EinmixMixin

import facula
from facula_nn import Module
from facula_tensor import Parameter

from .._lookup.names import publish

__all__ = ["EinMix", "Rearrange", "Reduce"]


class Rearrange(RearrangeMixin, Module):
    """`einops.rearrange` as a layer: created with a pattern and lengths of axes, called with a matching tensor.

    >>> Rearrange("batch (height width) -> batch height width", height=2)(facula.zeros(3, 8)).shape
    facula.Size([3, 2, 4])
    """

    def forward(self, input: facula.Tensor) -> facula.Tensor:
        return self._apply_recipe(input)


class Reduce(ReduceMixin, Module):
    """`einops.reduce` as a layer: a pattern, an operation ("max", "mean", "min", "prod", "sum"), and lengths of axes.

    >>> Reduce("batch (height 2) width -> batch height width", "max")(facula.zeros(3, 8, 5)).shape
    facula.Size([3, 4, 5])
    """

    def forward(self, input: facula.Tensor) -> facula.Tensor:
        return self._apply_recipe(input)


class EinMix(_EinmixMixin, Module):
    """A linear map along the axes that `weight_shape` names, and a bias: einops' layer for mixing along any axes.

    >>> mix = EinMix("batch (head i) -> batch head o", weight_shape="head i o", bias_shape="head o", head=2, i=4, o=5)
    >>> mix(facula.zeros(3, 8)).shape
    facula.Size([3, 2, 5])
    """

    weight: Parameter
    bias: Parameter | None
    pre_rearrange: Rearrange | None
    post_rearrange: Rearrange | None

    def _create_parameters(
        self, weight_shape: list[int], weight_bound: float, bias_shape: list[int] | None, bias_bound: float
    ) -> None:
        self.weight = Parameter(facula.empty(weight_shape).uniform_(-weight_bound, weight_bound))
        self.bias = None
        if bias_shape is not None:
            self.bias = Parameter(facula.empty(bias_shape).uniform_(-bias_bound, bias_bound))

    def _create_rearrange_layers(
        self,
        pre_reshape_pattern: str | None,
        pre_reshape_lengths: Mapping[str, int] | None,
        post_reshape_pattern: str | None,
        post_reshape_lengths: Mapping[str, int] | None,
    ) -> None:
        before, after = pre_reshape_pattern, post_reshape_pattern
        rearrange: Any = Rearrange  # its constructor is einops', which type checkers may lack
        self.pre_rearrange = None if before is None else rearrange(before, **(pre_reshape_lengths or {}))
        self.post_rearrange = None if after is None else rearrange(after, **(post_reshape_lengths or {}))

    def forward(self, input: facula.Tensor) -> facula.Tensor:
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        mixed = facula.einsum(self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            mixed = mixed + self.bias
        return mixed if self.post_rearrange is None else self.post_rearrange(mixed)


publish(__name__)
