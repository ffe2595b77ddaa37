"""save_file and load_file: values, order, strides, sharing, memory, and comparison with the safetensors library."""

from __future__ import annotations

import gc
import json
import os

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from checkpoint_testing import ALL, NAMES, described, entry, file_bytes, parts, random_parts, raw

import facula_storage as st
from facula_checkpoint import load_file, load_metadata, save_file
from facula_errors.testing import raises
from facula_storage.extend import HostMemory, alias, allocate, register_backend, register_dtype

WAYS = [{}, {"copy": True}, {"lazy": False}, {"lazy": False, "copy": True}]


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (0,), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("how", WAYS, ids=str)
def test_every_dtype_comes_back(path, how, shape):
    saved = {dtype.name: random_parts(dtype, shape) for dtype in ALL}
    save_file(saved, path)
    loaded = load_file(path, **how)
    assert list(loaded) == list(saved)
    for name, tensor in loaded.items():
        assert described(tensor) == described(saved[name])
        assert tensor[1].is_contiguous


@pytest.mark.parametrize("dtype", ALL, ids=lambda dtype: dtype.name)
def test_the_library_reads_what_we_write(path, dtype):
    tensor = random_parts(dtype, (4, 3))
    save_file({"weight": tensor}, path, {"format": "pt"})
    ((name, read),) = safetensors.deserialize(path.read_bytes())
    pairs = dtype is st.complex128
    assert name == "weight"
    assert read["dtype"] == ("F64" if pairs else NAMES[dtype.name])
    assert read["shape"] == ([4, 3, 2] if pairs else [4, 3])
    assert bytes(read["data"]) == raw(tensor)
    with safetensors.safe_open(path, framework="np") as opened:
        assert opened.metadata()["format"] == "pt"


@pytest.mark.parametrize("dtype", [dtype for dtype in ALL if dtype is not st.complex128], ids=lambda dtype: dtype.name)
def test_we_read_what_the_library_writes(path, dtype):
    tensor = random_parts(dtype, (4, 3))
    storage, layout, _ = tensor
    spec = safetensors.TensorSpec(dtype=dtype.name, shape=[4, 3], data_ptr=storage.ptr, data_len=layout.nbytes)
    empty = safetensors.TensorSpec(dtype="float32", shape=[0], data_ptr=storage.ptr, data_len=0)
    safetensors.serialize_file({"weight": spec, "none": empty}, path, {"step": "7"})
    loaded = load_file(path)
    assert described(loaded["weight"]) == described(tensor)
    assert loaded["none"][1].shape == (0,)
    assert load_metadata(path) == {"step": "7"}


def test_whole_models_agree_with_the_library(path):
    rng = np.random.default_rng(3)
    arrays = {f"layer.{i}.{k}": rng.random((i + 1, 4), np.float32) for i in range(20) for k in ("weight", "bias")}
    arrays["steps"] = np.array(3)
    save_file({name: parts(array) for name, array in arrays.items()}, path)
    theirs = safetensors.numpy.load_file(path)
    assert theirs.keys() == arrays.keys()
    assert all(np.array_equal(theirs[name], array) for name, array in arrays.items())


def test_strided_tensors_are_written_row_major(path):
    base = np.arange(24.0).reshape(2, 3, 4)
    expanded = (*st.from_numpy(np.arange(3.0))[:1], st.layout_of((4, 3), (0, 1), st.float64), 0)
    storage, _ = st.from_numpy(base)
    saved = {
        "transposed": parts(base.T),
        "strided": parts(base[:, ::2, 1::2]),
        "expanded": expanded,
        "offset": (storage, st.layout_of((2, 2), (12, 4), st.float64), 8),
        "half": (random_parts(st.bfloat16, (6,))[0], st.layout_of((2, 3), (1, 2), st.bfloat16), 0),
    }
    save_file(saved, path)
    for name, tensor in load_file(path).items():
        assert described(tensor) == described(saved[name])
    assert np.array_equal(st.to_numpy(*load_file(path)["offset"]), base[:, :2, 1])


def test_large_strided_tensors_are_written_in_pieces(path, monkeypatch):
    monkeypatch.setattr("facula_checkpoint._parts._GATHERED", 64)
    array = np.arange(1000, dtype=np.int32).reshape(20, 50).T
    save_file({"t": parts(array)}, path)
    assert np.array_equal(st.to_numpy(*load_file(path)["t"]), array)


def test_tensors_of_another_device_are_copied_to_the_cpu(path):
    register_backend("elsewhere", lambda index: HostMemory())
    device = st.Device("elsewhere")
    layout = st.layout_of((2, 3), (1, 2), st.int16, device)
    storage = allocate(st.contiguous((2, 3), st.int16, device))
    device.backend.copy_in(storage.ptr, np.arange(6, dtype=np.int16))
    save_file({"t": (storage, layout, 0)}, path)
    _, loaded, _ = tensor = load_file(path)["t"]
    assert loaded.device is st.cpu
    assert st.to_numpy(*tensor).tolist() == [[0, 2, 4], [1, 3, 5]]


def test_shared_memory_is_written_for_each_name(path):
    storage, layout, _ = tensor = parts(np.arange(4.0))
    save_file({"a": tensor, "b": tensor, "c": (alias(storage), layout, 0)}, path)
    loaded = load_file(path, lazy=False)
    assert len({stored.ptr for stored, _, _ in loaded.values()}) == 3
    assert {raw(tensor) for tensor in loaded.values()} == {raw(tensor)}


def test_a_mapped_tensor_is_read_only_and_says_why(path):
    save_file({"t": parts(np.arange(4.0))}, path)
    storage, layout, offset = load_file(path)["t"]
    assert storage.version is None
    assert path.name in storage.readonly
    assert "copy=True" in storage.readonly
    assert not st.to_numpy(storage, layout, offset).flags.writeable


@pytest.mark.parametrize("how", WAYS[1:], ids=str)
def test_a_copy_can_be_written_and_the_file_stays(path, how):
    save_file({"t": parts(np.arange(4.0)), "u": parts(np.arange(3.0))}, path)
    before = path.read_bytes()
    loaded = load_file(path, **how)
    array = st.to_numpy(*loaded["t"])
    array += 1
    assert array.tolist() == [1, 2, 3, 4]
    assert loaded["t"][0].version == 0
    assert st.to_numpy(*loaded["u"]).tolist() == [0, 1, 2]
    assert path.read_bytes() == before
    assert st.to_numpy(*load_file(path)["t"]).tolist() == [0, 1, 2, 3]


def mappings(path):
    with open("/proc/self/maps") as lines:
        return sum(str(path) in line for line in lines)


def test_the_mapping_lives_as_long_as_a_tensor_in_it(path):
    save_file({"t": parts(np.arange(4.0)), "u": parts(np.arange(3.0))}, path)
    loaded = load_file(path)
    assert mappings(path) == 1
    kept = st.to_numpy(*loaded.pop("u"))
    del loaded
    assert mappings(path) == 1
    assert kept.tolist() == [0, 1, 2]
    del kept
    assert mappings(path) == 0


def test_reading_leaves_no_descriptor_open(path):
    save_file({"t": parts(np.arange(4.0))}, path)
    gc.collect()  # left by earlier tests
    before = os.listdir("/proc/self/fd")
    load_file(path, lazy=False)
    load_metadata(path)
    load_file(path)
    path.with_name(path.name).write_bytes(b"short")
    with raises(ValueError, ".../model.safetensors", "neither a safetensors file nor one of torch.save"):
        load_file(path)
    assert os.listdir("/proc/self/fd") == before


def test_mapped_tensors_can_be_saved_into_their_own_file(path):
    save_file({"t": parts(np.arange(4.0))}, path)
    loaded = load_file(path)
    save_file({"more": parts(np.zeros(100)), **loaded}, path)
    assert raw(loaded["t"]) == raw(load_file(path)["t"]) == np.arange(4.0).tobytes()


def test_tensors_are_aligned_in_memory(path):
    saved = {dtype.name: random_parts(dtype, (3,)) for dtype in ALL}
    save_file(saved, path)
    for storage, layout, _ in load_file(path).values():
        assert storage.ptr % min(layout.dtype.itemsize, 8) == 0
    (length,) = np.frombuffer(path.read_bytes()[:8], np.uint64)
    assert (length + 8) % 64 == 0


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_misaligned_tensors_are_copied(path, how):
    """Old writers did not align tensors, which the format permits."""
    values = np.array([1.5, 2.5], np.float32)
    header = {"b": entry("U8", (1,), (0, 1)), "f": entry("F32", (2,), (1, 9))}
    path.write_bytes(file_bytes(header, b"\7" + values.tobytes()))
    loaded = load_file(path, **how)
    assert loaded["f"][0].ptr % 4 == 0
    assert st.to_numpy(*loaded["f"]).tolist() == [1.5, 2.5]
    assert st.to_numpy(*loaded["b"]).tolist() == [7]
    assert (loaded["f"][0].version is None) == (loaded["b"][0].version is None) == (not how)


def test_complex128_is_restored_only_where_it_was_saved(path):
    values = np.arange(6.0).reshape(3, 2)
    save_file({"z": parts(values.view(np.complex128)[:, 0]), "pairs": parts(values)}, path, {"k": "v"})
    loaded = load_file(path)
    assert (loaded["z"][1].dtype, loaded["z"][1].shape) == (st.complex128, (3,))
    assert (loaded["pairs"][1].dtype, loaded["pairs"][1].shape) == (st.float64, (3, 2))
    assert load_metadata(path) == {"k": "v"}


@pytest.mark.parametrize("name", ["", "weight", "a.b/c", "größe 重み 🙂", 'q"\\\n\0', "facula.x"])
def test_any_text_is_a_name(path, name):
    save_file({name: parts(np.arange(2.0))}, path, {name if name != "facula.x" else "x": name})
    assert list(load_file(path)) == [name]
    ((theirs, _),) = safetensors.deserialize(path.read_bytes())
    assert theirs == name
    assert name in load_metadata(path).values()


def test_nothing_and_only_metadata(path):
    save_file({}, path)
    assert load_file(path) == load_file(path, lazy=False) == {}
    assert safetensors.deserialize(path.read_bytes()) == []


def test_arrays_are_tensors_too(path):
    arrays = {"a": np.arange(6.0).reshape(2, 3).T, "b": np.array(3, ">i2"), "c": np.arange(4)[::-1]}
    save_file(arrays, path)
    theirs = safetensors.numpy.load_file(path)
    for name, tensor in load_file(path).items():
        np.testing.assert_array_equal(st.to_numpy(*tensor), arrays[name])
        np.testing.assert_array_equal(theirs[name], arrays[name])


TENSOR = parts(np.arange(2.0))


@pytest.mark.parametrize(
    ("tensors", "metadata", "error", "message"),
    [
        ({"w": [1]}, None, TypeError, "save_file: tensor 'w' is list; expected"),
        ({"w": np.array([None])}, None, TypeError, "save_file: tensor 'w' is a NumPy array of dtype 'object'"),
        ({"w": TENSOR[:2]}, None, TypeError, "save_file: tensor 'w' is tuple; expected"),
        ({7: TENSOR}, None, TypeError, "save: a name is 7; expected a str"),
        ({"\ud800": TENSOR}, None, ValueError, "save: lone surrogate"),
        ({"__metadata__": TENSOR}, None, ValueError, "save_file: the format reserves"),
        ({"w": (*TENSOR[:2], 8)}, None, ValueError, "save_file: begins at byte 8 and spans 16; its storage has 16"),
        ({"w": (*TENSOR[:2], -8)}, None, ValueError, "save_file: begins at byte -8"),
        ({"w": TENSOR}, {"k": 1}, TypeError, "save: metadata 'k' is 1; expected a str"),
        ({"w": TENSOR}, {"facula.k": "v"}, ValueError, "save_file: reserved"),
    ],
)
def test_unsupported_tensors_are_rejected_before_the_file_is_touched(path, tensors, metadata, error, message):
    save_file({"old": TENSOR}, path)
    before = path.read_bytes()
    with raises(error, message):
        save_file({"first": TENSOR, **tensors}, path, metadata)
    assert path.read_bytes() == before


def test_meta_tensors_and_unknown_dtypes_are_refused_by_name(path):
    layout = st.contiguous((2,), st.float32, st.meta)
    with raises(ValueError, "save_file", "'w' is on device 'meta'"):
        save_file({"w": (allocate(layout), layout, 0)}, path)
    layout = st.contiguous((2,), register_dtype("checkpoint_test_int24", 3, 1))
    with raises(TypeError, "save", "'w' is of dtype checkpoint_test_int24", "safetensors can hold bool, uint8"):
        save_file({"w": (allocate(layout), layout, 0)}, path)


def test_a_header_beyond_the_formats_limit_is_not_written(path, monkeypatch):
    monkeypatch.setattr("facula_checkpoint._header.MAX_HEADER", 200)
    with raises(ValueError, "save", "the format allows 200", "save into several files"):
        save_file({}, path, {"k": "v" * 300})
    assert not path.exists()


def test_the_header_keeps_the_callers_order(path):
    save_file({"z": random_parts(st.int8), "a": random_parts(st.float64), "m": random_parts(st.int16)}, path)
    text = path.read_bytes()
    header = json.loads(text[8 : 8 + int.from_bytes(text[:8], "little")])
    assert list(header) == ["z", "a", "m"]
    assert header["a"]["data_offsets"][0] == 0
