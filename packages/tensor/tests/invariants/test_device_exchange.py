"""DLPack and `__cuda_array_interface__` on devices: no copies, and the streams of both sides are ordered."""

from __future__ import annotations

import numpy as np
import pytest
from fake_backend import fake

import facula_tensor as ft
from facula_errors.testing import raises

CUDA, OTHER = 2, 12  # DLPack's kinds of devices


class Foreign:
    """An array of another library, with the exchange methods of a tensor."""

    def __init__(self, tensor, **told):
        self.tensor, self.told, self.asked = tensor, told, []

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **options):
        self.asked.append(options)
        return self.tensor.__dlpack__(**options)


class ForeignCuda:
    def __init__(self, tensor, **told):
        self.tensor, self.__cuda_array_interface__ = tensor, {**tensor.__cuda_array_interface__, **told}


@pytest.fixture(params=[True, False], ids=["streams", "no streams"])
def orders(request, monkeypatch):
    """The pairs of streams that were ordered, by a device that can and by one that waits in their place."""
    backend, made = fake(), []
    backend.run()
    if request.param:
        monkeypatch.setattr(backend, "stream_number", lambda: 7, raising=False)
        monkeypatch.setattr(backend, "order_streams", lambda *pair: made.append(pair), raising=False)
    return made if request.param else None


@pytest.fixture
def kind(monkeypatch):
    def of(number):
        monkeypatch.setattr(fake(), "dlpack_device", (number, 0), raising=False)
        monkeypatch.setattr(fake("fake:1"), "dlpack_device", (number, 1), raising=False)

    return of


def test_dlpack_shares_memory_and_orders_streams(orders, kind):
    kind(OTHER)
    x = ft.arange(6.0, device="fake").reshape(2, 3).t() * 1
    waits = fake().waits
    foreign = Foreign(x)
    y = ft.from_dlpack(foreign)
    assert y.data_ptr() == x.data_ptr() and y.stride() == x.stride() and str(y.device) == "fake"
    if orders is None:
        assert "stream" not in foreign.asked[0] and fake().waits == waits + 1
    else:
        assert foreign.asked[0]["stream"] == 7 and orders == [(7, 7)] and fake().waits == waits
        x.__dlpack__(stream=None)
        x.__dlpack__(stream=9)
        x.__dlpack__(stream=-1)
        assert orders[1:] == [(7, 1), (7, 9)]
    y.add_(1)
    assert x.tolist() == [[1, 4], [2, 5], [3, 6]]
    for stream in (0, -2, 1.0, "1"):
        with raises(BufferError, "__dlpack__", "expected stream", value=repr(stream)):
            x.__dlpack__(stream=stream)
    there = ft.from_dlpack(Foreign(ft.ones(2, device="fake:1")))
    assert str(there.device) == "fake:1"


def test_dlpack_copies_to_the_host_on_request(kind):
    kind(OTHER)
    x = ft.arange(3, device="fake")
    capsule = x.__dlpack__(dl_device=(1, 0))
    assert (
        ft.from_dlpack(capsule).tolist() == [0, 1, 2]
        and ft.from_dlpack(x.__dlpack__(dl_device=(OTHER, 0))).is_meta is False
    )
    with raises(BufferError, "__dlpack__", "dl_device"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with raises(BufferError, "__dlpack__", "dl_device"):
        x.__dlpack__(dl_device=(OTHER, 1))
    with raises(BufferError, "__dlpack__", "requires a gradient"):
        ft.ones(2, device="fake", requires_grad=True).__dlpack__()


def test_cuda_arrays_share_memory_and_order_streams(orders, kind):
    assert not hasattr(ft.ones(2), "__cuda_array_interface__") and not hasattr(
        ft.ones(2, device="fake"), "__cuda_array_interface__"
    )
    kind(CUDA)
    assert not hasattr(ft.ones(2), "__cuda_array_interface__")
    x = ft.arange(6.0, device="fake").reshape(2, 3)
    told = x.__cuda_array_interface__
    assert told["data"] == (x.data_ptr(), False) and told["shape"] == (2, 3) and told["strides"] is None
    assert np.dtype(told["typestr"]) == np.float32 and told["version"] == 3
    assert x.t().__cuda_array_interface__["strides"] == (4, 12)
    assert told.get("stream") == (None if orders is None else 7)
    for convert in (ft.asarray, ft.as_tensor):
        y = convert(ForeignCuda(x.t(), stream=3))
        assert y.tolist() == [[0, 3], [1, 4], [2, 5]] and str(y.device) == "fake"
        assert y.data_ptr() == x.data_ptr()
    assert ft.tensor(ForeignCuda(x)).data_ptr() != x.data_ptr()
    assert ft.tensor(ForeignCuda(x), dtype=ft.int64, device="cpu").tolist() == [[0, 1, 2], [3, 4, 5]]
    if orders is not None:
        assert (3, 7) in orders
    assert ft.asarray(ForeignCuda(x[:0])).shape == (0, 3)
    readonly = ft.asarray(ForeignCuda(x, data=(x.data_ptr(), True)))
    with raises((RuntimeError, TypeError), "add_", "read-only"):
        readonly.add_(1)
    for told, words in (
        ({"mask": x}, "a mask"),
        ({"strides": (-12, 4)}, "strides (-12, 4)"),
        ({"typestr": ">f4"}, "byte order"),
        ({"data": (0, False)}, "the address"),
        ({"data": (x.data_ptr() + 1, False)}, "the address"),
    ):
        with raises(BufferError, "__cuda_array_interface__", words):
            ft.asarray(ForeignCuda(x, **told))
    with raises(RuntimeError, "__cuda_array_interface__", "requires a gradient"):
        ft.ones(2, device="fake", requires_grad=True).__cuda_array_interface__
    with raises(TypeError, "__cuda_array_interface__", "bfloat16"):
        x.bfloat16().__cuda_array_interface__
