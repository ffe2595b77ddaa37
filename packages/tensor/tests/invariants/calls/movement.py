"""Calls of views, copies, joins and indexing."""

from __future__ import annotations

from typing import Any

import facula_tensor as ft
from facula_tensor.extend import recorded_ops as F

from .operands import columns, mask


def index(x: Any) -> Any:
    """Positions along a dimension of three, on the device of `x`."""
    return ft.tensor([2, 0, 2], device=x.device)


def filled(x: Any) -> Any:
    """A copy of `x`, changed in place and then used."""
    copy = x * 1
    copy.copy_(x.sum(0))
    return copy


MOVEMENT = {
    "as_strided": lambda x, y: ft.as_strided(x, (2, 3), (4, 1), 1) if x.is_contiguous() else x.clone(),
    "as_strided_scatter": lambda x, y: F.as_strided_scatter(x, y[0, :2], ((2,), (1,), 1)),
    "cat": lambda x, y: ft.cat([x, y, x], 1),
    "clone": lambda x, y: x.clone(),
    "count_true": lambda x, y: x[mask(x)],
    "diagonal": lambda x, y: x.diagonal(1),
    "expand": lambda x, y: x.unsqueeze(0).expand(2, 3, 4),
    "flip": lambda x, y: x.flip(0, 1),
    "from_parts": lambda x, y: F.from_parts(x, y[0]),
    "gather": lambda x, y: x.gather(1, columns(x)),
    "gather_back": lambda x, y: F.gather_back(x[:, :2], columns(x), ((3, 4), 1)),
    "imag_view": lambda x, y: x.to(ft.complex128).imag,
    "index": lambda x, y: x[None, 1:, ::2],
    "index_back": lambda x, y: F.index_back(x, (ft.zeros(5, x.shape[1])._layout, (slice(1, 4), Ellipsis))),
    "index_select": lambda x, y: ft.index_select(x, 1, ft.tensor([2, 0, 2], device=x.device)),
    "inset": lambda x, y: F.inset(x, ((x.shape[0], x.shape[1] + 2), (x.shape[1] + 2, 1), 1, (), 0)),
    "overwrite": lambda x, y: filled(x),
    "permute": lambda x, y: x.permute(1, 0),
    "put": lambda x, y: F.put(x, index(x), y, (0, True, False)),
    "real_view": lambda x, y: x.to(ft.complex128).real,
    "reverse_dims": lambda x, y: x.T,
    "roll": lambda x, y: x.roll((1, 2), (0, 1)),
    "scatter": lambda x, y: x.scatter(1, columns(x), y[:, :2]),
    "scatter_extreme": lambda x, y: x.scatter_reduce(1, columns(x), y[:, :2], "amax"),
    "scatter_product": lambda x, y: x.scatter_reduce(1, columns(x), y[:, :2], "prod"),
    "select": lambda x, y: x[1],
    "slice": lambda x, y: F.slice(x, 1, 1, 4, 2),
    "slice_back": lambda x, y: F.slice_back(x, (ft.zeros(5, 4)._layout, 0, 1, 1)),
    "squeeze": lambda x, y: x.unsqueeze(1).squeeze(1),
    "stack": lambda x, y: ft.stack([x, y, x], 1),
    "t": lambda x, y: x.t(),
    "take": lambda x, y: x[index(x)],
    "take_back": lambda x, y: F.take_back(x, index(x), ((5, 4), 0, 2)),
    "tile": lambda x, y: F.tile(x, ((2, 1), (1, 3))),
    "to": lambda x, y: x.to(ft.float32),
    "to_device": lambda x, y: x.to("cpu" if str(x.device) != "cpu" else "meta"),
    "transpose": lambda x, y: x.transpose(0, 1),
    "triangle": lambda x, y: x.tril(),
    "unfold_dim": lambda x, y: x.unfold(1, 2, 1),
    "unsqueeze": lambda x, y: x.unsqueeze(0),
    "view": lambda x, y: x.view(2, 6) if x.is_contiguous() else x.reshape(2, 6),
    "view_as_complex": lambda x, y: ft.view_as_complex(ft.stack([x, y], -1)),
    "view_as_real": lambda x, y: ft.view_as_real(x.to(ft.complex128)),
    "windows": lambda x, y: F.windows(x, ((2, x.shape[0], x.shape[1] - 1), (1, x.shape[1], 1), 0, (0,))),
}
