"""PyTorch's files through the public API: files written here, and files that PyTorch and Lightning wrote."""

import argparse
import io
import os
import pickle
import subprocess
import sys
import zipfile
from collections import Counter, OrderedDict, defaultdict, deque
from pathlib import Path

import numpy as np
import pytest
from file_helpers import again, globals_of

import facula
import facula.nn as nn
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises

FILES = Path(__file__).with_name("pytorch_files")


@pytest.mark.parametrize("name", ["run.pt", "legacy.pt"])
def test_modules_optimizers_and_schedules(name):
    """Check files that PyTorch wrote after a step in which all gradients were 1."""
    *networks, optimizer, schedule = facula.load(FILES / name)
    assert type(optimizer) is facula.optim.SGD and type(schedule) is facula.optim.lr_scheduler.StepLR
    assert schedule.optimizer is optimizer and optimizer.param_groups[0]["momentum"] == 0.9
    first = optimizer.param_groups[0]["params"][0]
    assert optimizer.state[first]["momentum_buffer"].tolist() == facula.ones(2, 1, 3, 3).tolist()
    assert first.flatten().tolist() == [number - 0.5 for number in range(18)]
    schedule.step()
    assert optimizer.param_groups[0]["lr"] == 0.05
    for network in networks:
        assert [type(one).__name__ for one in network] == ["Conv2d", "BatchNorm2d", "ReLU", "Flatten", "Linear"]
        assert network[0].weight is first and network[0].padding == (0, 0)
        network(facula.ones(3, 1, 4, 4)).sum().backward()
        optimizer.step()
        assert network[1].num_batches_tracked.item() == 1 and first[0, 0, 0, 0].item() != -0.5


def test_a_lightning_checkpoint_loads():
    found = facula.load(FILES / "lightning.ckpt", map_location="cpu", weights_only=False)
    assert found["epoch"] == 1 and found["hyper_parameters"] == {"width": 4, "lr": 0.1}
    layer = nn.Linear(4, 1)
    layer.load_state_dict({name.removeprefix("layer."): one for name, one in found["state_dict"].items()})
    optimizer = facula.optim.Adam(layer.parameters())
    optimizer.load_state_dict(found["optimizer_states"][0])
    assert optimizer.state[layer.weight]["step"].item() == 4


def test_files_contain_pytorchs_names():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.LSTM(2, 2))
    run = [model, facula.optim.AdamW(model.parameters()), facula.float16, facula.Size([1]), nn.functional.relu]
    run += [facula.sin, nn.functional.gelu, facula.strided, facula.device("cpu"), facula.Tensor, facula.bool]
    found = globals_of(run)
    assert not [name for name in found if "facula" in name]
    assert found >= {
        "torch.nn.modules.linear Linear", "torch.nn.modules.container Sequential", "torch.optim.adamw AdamW",
        "torch._utils _rebuild_parameter", "torch._utils _rebuild_tensor_v2", "torch FloatStorage", "torch float16",
        "torch Size", "torch.nn.functional relu", "torch sin", "torch device", "torch Tensor", "torch bool",
    }  # fmt: skip
    assert globals_of(facula.ones(2)) == {
        "collections OrderedDict",
        "torch FloatStorage",
        "torch._utils _rebuild_tensor_v2",
    }


def test_a_string_that_resembles_a_name_is_unchanged():
    for text in ("cfacula_storage._dtypes\nfloat16\n", "cfacula_nn.layers.linear\nLinear\n"):
        assert again([text, facula.float16, nn.Linear, text]) == [text, facula.float16, nn.Linear, text]


def test_plain_python_objects_round_trip():
    kept = {
        "set": {1, (2, "x")}, "bytes": b"\x00\xff", "path": Path("/a/b"), "options": argparse.Namespace(lr=0.1),
        "dtype": facula.bfloat16, "device": facula.device("cpu"), "size": facula.Size([2]),
        "counts": defaultdict(int, a=1),
        "array": np.arange(3, dtype="u4"), "number": np.float64(0.5), "layout": facula.strided, 3: None, "z": 1j,
        "format": facula.channels_last, "ordered": OrderedDict(a=1), tuple(range(100)): {((1, 2), (3, (4,)))},
        "factories": [defaultdict(Counter, a=Counter({(1, 2): 3})), defaultdict(deque), defaultdict(facula.Tensor)],
        "pairs": OrderedDict([(tuple(range(80)), 3)]), frozenset(range(100)): 1, True: {1.5, None, 1j}, "big": 1 << 999,
    }  # fmt: skip
    kept["itself"], kept["in a list"] = kept, ([],)
    kept["in a list"][0].append(kept["in a list"])
    found = again(kept)
    assert found["itself"] is found and found["in a list"][0][0] is found["in a list"]
    assert repr(found) == repr(kept) and type(found["size"]) is facula.Size and found["dtype"] is facula.bfloat16


def test_shared_memory_strides_and_gradients_round_trip():
    whole = facula.arange(6.0).reshape(2, 3)
    weight = nn.Parameter(whole[0], requires_grad=False)
    leaf = facula.ones(2, requires_grad=True)
    kept = [whole, whole.T, whole[1].detach(), weight, leaf, leaf * 2, whole.untyped_storage(), whole[:, ::2]]
    found = again(kept)
    assert [type(one) for one in found[:6]] == [facula.Tensor] * 3 + [nn.Parameter] + [facula.Tensor] * 2
    assert [one.requires_grad for one in found[:6]] == [False, False, False, False, True, True]
    assert found[5].is_leaf and found[1].stride() == (1, 3) and found[7].stride() == (3, 2)
    found[0].zero_()
    assert [one.sum().item() for one in (found[1], found[2], found[3], found[7])] == [0.0] * 4
    assert set(found[6].tolist()) == {0} and found[6].nbytes() == 24
    bits = facula.ones(4).view(facula.int32)
    found = again([bits, bits.view(facula.float32)])
    found[1].zero_()
    assert found[0].tolist() == [0] * 4, "one memory with two dtypes"


@pytest.mark.parametrize("name", ["uint16", "uint64", "float8_e4m3fn", "float8_e8m0fnu"])
def test_dtypes_without_a_storage_class(name):
    bits = facula.arange(16, dtype=facula.uint8).view(getattr(facula, name))
    found, dtype = again([bits, bits.dtype])
    assert found.dtype is dtype is bits.dtype and found.view(facula.uint8).tolist() == list(range(16))


def test_attributes_of_parameters():
    weight = nn.Parameter(facula.ones(2))
    weight.tag = {"a": 1}
    assert again(weight).tag == {"a": 1}
    buffer = again(nn.Buffer(facula.ones(2), persistent=False))
    assert type(buffer) is nn.Buffer and not buffer.persistent


def test_a_generator_keeps_its_state():
    generator = facula.Generator().manual_seed(3)
    facula.rand(5, generator=generator)
    assert facula.rand(3, generator=again(generator)).tolist() == facula.rand(3, generator=generator).tolist()


def test_a_generator_does_not_import_the_package_of_its_device(monkeypatch):
    file, changed = io.BytesIO(), io.BytesIO()
    facula.save(facula.Generator(), file)
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(changed, "w") as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name).replace(b"cpu", b"xla"))
    changed.seek(0)
    monkeypatch.setattr("importlib.metadata.entry_points", None)
    with raises(CheckpointError, "<BytesIO>", "a generator of 'xla', a device that this program has not used yet"):
        facula.load(changed)


@pytest.mark.parametrize("name", ["model.pt", "model.pth", "model.bin", "model.ckpt", "model", "model.safetensors"])
def test_the_suffix_chooses_the_format_and_load_detects_it(name, tmp_path):
    facula.save({"w": facula.ones(2)}, tmp_path / name)
    start = (tmp_path / name).read_bytes()[:2]
    assert (start == b"PK") == (name != "model.safetensors")
    (tmp_path / name).rename(tmp_path / "renamed.tar")
    assert facula.load(tmp_path / "renamed.tar")["w"].tolist() == [1.0, 1.0]


def test_storages_are_aligned_to_64_bytes(tmp_path):
    facula.save([facula.ones(3), facula.ones(5, dtype=facula.int8), facula.ones(100)], tmp_path / "a.pt")
    content = (tmp_path / "a.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        names = [one.filename for one in archive.infolist()]
        for one in archive.infolist():
            length = int.from_bytes(content[one.header_offset + 28 :][:2], "little")
            assert (one.header_offset + 30 + len(one.filename) + length) % 64 == 0
    assert names == [f"archive/{name}" for name in (
        "data.pkl", ".format_version", ".storage_alignment", "byteorder", "data/0", "data/1", "data/2", "version",
    )]  # fmt: skip


def test_module_state_is_validated():
    """Check invalid states of a library module in a file."""

    def refused(change, message):
        linear = nn.Linear(2, 2)
        file = io.BytesIO()
        facula.save(linear, file)
        with zipfile.ZipFile(file) as archive:
            members = {one: archive.read(one) for one in archive.namelist()}
        changed = change(members["archive/data.pkl"])
        assert changed != members["archive/data.pkl"]
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, changed if name.endswith(".pkl") else data)
        made.seek(0)
        with raises(CheckpointError, "<BytesIO>", message):
            facula.load(made)

    name = b"X\x0b\x00\x00\x00in_features"
    refused(lambda data: data.replace(name, b"X\x07\x00\x00\x00forward"), "'forward' of a Linear")
    refused(lambda data: data.replace(b"X\x08\x00\x00\x00training", b"X\x0a\x00\x00\x00state_dict"), "'state_dict'")
    refused(lambda data: data[:-1] + b"}b.", "the state of a Linear twice")
    refused(lambda data: data.replace(b"linear\nLinear", b"linear\nLinea"), "which is not among")
    refused(lambda data: data[: data.index(b"\x81") + 1] + b".", "has a Linear without a state")


def test_unsupported_values_and_options_are_refused():
    with raises(TypeError, "save", "something cannot be pickled", "save state_dict()s"):
        again(lambda: 3)
    with raises(TypeError, "save", "LazyLinear has parameters without a shape", "call the module once"):
        again(nn.LazyLinear(2))
    with raises(NotImplementedError, "save", "format before version 1.6 is only read"):
        facula.save(1, io.BytesIO(), _use_new_zipfile_serialization=False)
    with raises(ValueError, "save", "expected pickle_protocol to be 2 or more", value=0):
        facula.save(1, io.BytesIO(), pickle_protocol=0)
    with raises(ValueError, "load", "expected the name of an encoding", value="'x'"):
        facula.load(FILES / "run.pt", encoding="x")
    value = []
    for _ in range(100_000):
        value = [value]
    with raises(ValueError, "save", "nested too deeply to be pickled"):
        again(value)


def test_a_failed_save_keeps_the_old_file(tmp_path):
    facula.save([1], tmp_path / "a.pt")
    with pytest.raises(TypeError):
        facula.save([facula.ones(3), lambda: 3], tmp_path / "a.pt")
    assert facula.load(tmp_path / "a.pt") == [1] and os.listdir(tmp_path) == ["a.pt"]


def test_container_state_and_uninitialized_parameters_round_trip():
    state = again(nn.LazyLinear(3).state_dict())
    assert isinstance(state["weight"], nn.UninitializedParameter)
    state = nn.Linear(2, 2).state_dict()
    state._metadata = {"": {"version": 1}}
    assert again(state)._metadata == {"": {"version": 1}}


def test_plain_pickles_of_tensors_keep_faculas_names():
    """Check that `pickle` and `copy` do not use PyTorch's names."""
    tensor = pickle.loads(pickle.dumps(nn.Linear(2, 2)))
    assert type(tensor) is nn.Linear


def test_truncated_files_are_refused(tmp_path):
    """Check with and without a mapping; truncation of a mapped file fails only on access to the lost pages."""
    facula.save(facula.ones(1000), tmp_path / "a.pt")
    content = (tmp_path / "a.pt").read_bytes()
    (tmp_path / "a.pt").write_bytes(content[:-100])
    for mmap in (False, True):
        with raises(CheckpointError, ".../a.pt", "truncated"):
            facula.load(tmp_path / "a.pt", mmap=mmap)


def test_loading_imports_few_modules():
    """Check that loading tensors does not import facula's networks."""
    script = (
        "import sys, facula; facula.load(sys.argv[1]); "
        "print(*[name for name in ('facula_nn', 'facula_optim', 'decimal', 'zipfile') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, FILES / "lightning.ckpt"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
