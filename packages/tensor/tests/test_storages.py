"""Storages in user programs, and queries of a tensor's device and type."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor.extend import empty_shared, free_memory, take_memory, tensors_at
from facula_tensor.ops.memory import pin_memory as _pin_memory


def test_views_share_a_storage():
    x = ft.arange(6.0).view(2, 3)
    whole = x.untyped_storage()
    assert whole.nbytes() == len(whole) == whole.size() == 24
    assert x[1].untyped_storage().nbytes() == 24
    assert x[1].untyped_storage().data_ptr() == whole.data_ptr() == x.data_ptr()
    assert x[1].untyped_storage() == whole
    assert whole != ft.ones(6).untyped_storage()
    assert whole.tobytes() == np.arange(6, dtype=np.float32).tobytes()
    assert whole.device == x.device


def test_storages_of_borrowed_memory_and_of_none():
    assert ft.from_numpy(np.zeros(10)[2:4]).untyped_storage().nbytes() == 16
    assert ft.empty(0).untyped_storage().nbytes() == 0
    meta = ft.empty(3, device="meta").untyped_storage()
    assert meta.nbytes() == 12
    assert meta.data_ptr() == 0


def test_a_storage_of_a_file(tmp_path):
    """The file is private unless shared; a shared one is created or extended."""
    (tmp_path / "a").write_bytes(bytes(range(8)))
    private = ft.UntypedStorage.from_file(str(tmp_path / "a"), nbytes=6)
    assert private.tolist() == list(range(6)) and private[2:4].tolist() == [2, 3]
    private[0] = 9
    assert (tmp_path / "a").read_bytes()[0] == 0
    shared = ft.UntypedStorage.from_file(tmp_path / "b", True, 4)
    shared[1] = 7
    assert (tmp_path / "b").read_bytes() == b"\0\7\0\0" and private.nbytes() == 6
    with raises(ValueError, "from_file", "expected 9 bytes for 9 of uint8", "has 8"):
        ft.UntypedStorage.from_file(str(tmp_path / "a"), nbytes=9)
    with pytest.raises(FileNotFoundError):
        ft.UntypedStorage.from_file(str(tmp_path / "none"), nbytes=1)
    assert ft.UntypedStorage.from_file(str(tmp_path / "a")).nbytes() == 0


def test_a_tensor_of_a_storage():
    memory = ft.arange(4, dtype=ft.int16).untyped_storage()
    flat = ft.asarray(memory[2:6], dtype=ft.uint8)
    assert flat.view(ft.int16).tolist() == [1, 2] and flat.data_ptr() == memory.data_ptr() + 2


def test_bytes_are_read_and_written():
    x = ft.zeros(2, dtype=ft.int16)
    memory = x.untyped_storage()
    memory[0] = 7
    assert x.tolist() == [7, 0]
    assert list(memory) == memory.tolist() == [7, 0, 0, 0]
    copy = memory.clone()
    memory.fill_(0)
    assert copy[:2].tolist() == [7, 0]
    assert x.tolist() == [0, 0]
    memory.copy_(copy)
    assert x.tolist() == [7, 0]


def test_a_storage_grows_and_keeps_its_elements():
    memory = ft.UntypedStorage(4).fill_(3)
    assert memory.resize_(100).nbytes() == 100
    assert memory.tolist()[:4] == [3, 3, 3, 3]


def test_typed_storages():
    x = ft.arange(6).view(2, 3)
    elements = x[1].storage()
    assert elements.size() == len(elements) == 6
    assert elements.nbytes() == 48
    assert elements.tolist() == list(elements) == [0, 1, 2, 3, 4, 5]
    assert elements.dtype is ft.int64
    assert elements.data_ptr() == x.data_ptr()
    elements[4] = 40
    assert x[1, 1].item() == elements[4] == 40
    assert ft.is_storage(elements)
    assert ft.is_storage(elements.untyped())
    assert not ft.is_storage(x)


def test_storages_are_not_pickled():
    with raises(RuntimeError, "storage", "pickle the tensor"):
        pickle.dumps(ft.ones(2).untyped_storage())


def test_flags():
    x = ft.ones(2, 3)
    for name in ("quantized", "sparse", "mkldnn", "nested", "mps", "xla", "xpu", "sparse_csr", "cuda", "meta"):
        assert getattr(x, f"is_{name}") is False
    assert x.is_cpu
    assert ft.ones(1, device="meta").is_meta
    assert (x.output_nr, x.get_device(), x.is_pinned(), x.is_shared()) == (0, -1, False, False)
    assert ft.is_signed(x)
    assert not ft.ones(1, dtype=ft.uint8).is_signed()
    assert x.is_same_size(ft.zeros(2, 3))
    assert not ft.is_same_size(x, ft.zeros(3, 2))
    assert x.t().dim_order() == (1, 0)
    assert x.const_data_ptr() == x.data_ptr()


def test_is_nonzero():
    assert ft.is_nonzero(ft.tensor([2]))
    assert not ft.tensor(False).is_nonzero()
    with raises(ValueError, "is_nonzero", "expected one element", value="Tensor float32 (2,)"):
        ft.ones(2).is_nonzero()


def test_applying_python_functions_to_elements():
    x = ft.tensor([[1, 2], [3, 4]])
    assert x.t().apply_(lambda number: number + 1).tolist() == [[2, 4], [3, 5]]
    assert x.tolist() == [[2, 3], [4, 5]]
    assert x.map_(ft.tensor([10, 20]), lambda a, b: a * b).tolist() == [[20, 60], [40, 100]]
    assert ft.ones(1).map2_(ft.tensor([2.0]), ft.tensor([5.0]), lambda a, b, c: a + b * c).tolist() == [11.0]
    with raises(RuntimeError, "apply_", "a Python function has no gradient"):
        ft.ones(1, requires_grad=True).apply_(abs)


def test_fill_diagonal():
    assert ft.zeros(2, 3).fill_diagonal_(5).tolist() == [[5, 0, 0], [0, 5, 0]]
    assert ft.zeros(5, 2).fill_diagonal_(1, wrap=True).tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
    assert ft.zeros(2, 2, 2).fill_diagonal_(1).sum().item() == 2
    with raises(ValueError, "fill_diagonal_", "the same length"):
        ft.zeros(2, 3, 2).fill_diagonal_(1)


def test_in_place_methods_are_functions_too():
    x = ft.tensor([-1.5, 4.0])
    assert ft.abs_(x) is x
    assert ft.sqrt_(ft.trunc_(x)).tolist() == [1.0, 2.0]
    assert ft.index_put_(x, (ft.tensor([0]),), ft.tensor(7.0)).tolist() == [7.0, 2.0]
    assert ft.zero_(x).tolist() == [0.0, 0.0]
    with raises(TypeError, "exp_", "expected a Tensor"):
        ft.exp_(3.0)


def test_pin_memory_warns_once_and_changes_nothing():
    _pin_memory._warned.clear()
    x = ft.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="pin_memory: has no effect, because there is no device") as caught:
        assert x.pin_memory() is x
    assert len(caught) == 1 and caught[0].filename == __file__
    assert x.pin_memory("cuda") is x and not x.is_pinned() and x.is_pinned("cuda") is False


def test_memory_that_is_freed_for_a_time():
    """All tensors over the storage get the new memory; a graph can use it after that, and not before."""
    first, second = tensors_at(ft.empty(256, dtype=ft.uint8), [(64, ft.float32, (3,)), (128, ft.float64, (2, 0))])
    assert second.shape == (2, 0) and first.storage_offset() == 16 and first.numel() == 3
    weight = ft.Parameter(first)
    result = weight * ft.ones(3, requires_grad=True)
    version = weight._version
    free_memory(weight)
    assert first._storage.ptr == 0
    with raises(RuntimeError, "backward of mul", "expected", "changed in place"):
        result.sum().backward(retain_graph=True)
    take_memory(first, version)
    weight.detach().fill_(2)
    weight._storage.version = version
    result.sum().backward()
    assert first.tolist() == [2, 2, 2] and weight._storage.ptr


def test_tensors_in_shared_memory():
    (shared,) = tensors_at(empty_shared(64), [(8, ft.int64, (2,))])
    assert shared.fill_(3).tolist() == [3, 3] and shared.is_shared() and empty_shared(0).shape == (0,)
