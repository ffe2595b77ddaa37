"""Checkpoints that ranks save and load together: shares, other numbers of ranks, errors, and interrupted saves."""

import json
import os
import resource
import signal
from math import prod

import numpy as np
import pytest

import facula_distributed as dist
from facula_checkpoint import CheckpointError, load_file
from facula_distributed.checkpoint import (
    FileSystemReader,
    FileSystemWriter,
    StateMismatchError,
    _index,
    _saving,
    async_save,
    load,
    save,
)
from facula_distributed.testing import errors, finish, run, start
from facula_errors.testing import raises
from facula_tensor import arange, bfloat16, float16, float32, int64, tensor, zeros

SHAPES = {f"layer{number}": (number + 1, 3) for number in range(8)}


def new_state(value):
    """Return a state with shared, large, empty and 0-d tensors, arrays and values."""
    start = value * 1000
    tensors = {name: arange(start, start + prod(shape)).reshape(shape).to(float32) for name, shape in SHAPES.items()}
    tensors["tied"] = tensors["layer1"]
    tensors["large"] = arange(start, start + 700, dtype=int64).reshape(100, 7).t()
    tensors |= {"half": zeros(3, dtype=bfloat16) + value, "empty": zeros(0, 4), "scalar": tensor(float(value))}
    groups = [{"lr": 0.1 * value, "betas": (0.9, value)}]
    return {
        "model": tensors,
        "optimizer": {"state": {0: {"step": value, "momenta": zeros(2) + value}}, "param_groups": groups},
        "array": np.arange(3) + value,
        "step": value,
    }


def check_equal(found, expected):
    """Check that containers, tensors and values are equal."""
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            check_equal(found[key], value)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check_equal(one, other)
    elif hasattr(expected, "tolist"):
        assert found.tolist() == expected.tolist() and found.dtype == expected.dtype
    else:
        assert found == expected


def save_state(rank, folder, value=1):
    _index._SPLIT_BYTES = 1000  # in processes of this test
    save(new_state(value), checkpoint_id=folder)


def load_state(rank, folder, value=1):
    state = new_state(value + 1)
    target = state["model"]["layer3"]
    load(state, storage_reader=FileSystemReader(folder))
    check_equal(state, new_state(value))
    assert state["model"]["layer3"] is target and state["model"]["tied"] is state["model"]["layer1"]
    state["array"][0] = 0  # not read-only


@pytest.mark.parametrize("saved", [1, 4])
def test_a_checkpoint_loads_on_other_numbers_of_ranks(tmp_path, saved):
    run(saved, save_state, str(tmp_path))
    for loaded in (2, 3, 1):
        run(loaded, load_state, str(tmp_path))


def test_files_are_shares_that_other_programs_can_read(tmp_path):
    run(4, save_state, str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["index.json", *(f"rank-{rank:05}.safetensors" for rank in range(4))]
    names = [set(load_file(tmp_path / f"rank-{rank:05}.safetensors")) for rank in range(4)]
    large, whole = "model.large", set.union(*names) - {"model.large"}
    assert all(large in own for own in names) and sum(map(len, names)) == len(whole) + 4
    assert {*(f"model.{name}" for name in SHAPES), "model.half", "array"} < whole and "model.tied" not in whole
    safetensors = pytest.importorskip("safetensors")
    rows = [
        safetensors.safe_open(tmp_path / f"rank-{rank:05}.safetensors", "numpy").get_tensor(large) for rank in range(4)
    ]
    assert np.array_equal(np.concatenate(rows), np.arange(1000, 1700).reshape(100, 7).T)
    index = json.loads((tmp_path / "index.json").read_text())
    assert index["tensors"]["model.layer2"]["shape"] == [3, 3]


def test_a_second_save_replaces_the_first_and_removes_its_files(tmp_path):
    for value, ranks in ((1, 3), (2, 2), (3, 2)):
        run(ranks, save_state, str(tmp_path), value)
        run(1, load_state, str(tmp_path), value)
        assert len(os.listdir(tmp_path)) == ranks + 1


def test_one_process_needs_no_group(tmp_path):
    save(new_state(5), storage_writer=FileSystemWriter(tmp_path))
    load_state(0, tmp_path, 5)


class Layer:
    """An object with a state."""

    def __init__(self, value):
        self.weight, self.loaded = zeros(2) + value, 0

    def state_dict(self):
        return {"weight": self.weight}

    def load_state_dict(self, state):
        self.weight, self.loaded = state["weight"], self.loaded + 1


def test_states_of_objects_are_saved_and_loaded(tmp_path):
    save({"layer": Layer(3)}, checkpoint_id=tmp_path)
    layer = Layer(0)
    load({"layer": layer}, checkpoint_id=tmp_path)
    assert layer.weight.tolist() == [3, 3] and layer.loaded == 1


def test_empty_dicts_are_filled_dtypes_converted_and_entries_left_out(tmp_path):
    save(new_state(2), checkpoint_id=tmp_path)
    state = {"optimizer": {}, "model": {**new_state(0)["model"], "layer0": zeros(1, 3, dtype=float16)}}
    load(state, checkpoint_id=tmp_path)
    check_equal(state["optimizer"], new_state(2)["optimizer"])
    assert state["model"]["layer0"].dtype is float16 and state["model"]["layer0"].tolist() == [[2000, 2001, 2002]]


def load_other(rank, folder):
    state = new_state(3)
    model = state["model"]
    if rank == 1:
        del model["layer0"]
        model["layer1"], model["other"] = zeros(5), zeros(1)
    before = {name: one.tolist() for name, one in model.items()}
    try:
        load(state, checkpoint_id=folder)
    finally:
        assert {name: one.tolist() for name, one in model.items()} == before and state["step"] == 3


def test_a_checkpoint_of_another_model_changes_nothing_on_any_rank(tmp_path):
    run(2, save_state, str(tmp_path))
    first, second = errors(2, load_other, str(tmp_path))
    words = "missing model.other; unexpected model.layer0; model.layer1 has shape (5,) here"
    assert second.startswith("StateMismatchError: load: ") and words in second
    assert first.startswith("RankError: load: rank 1 failed: StateMismatchError") and words in first


def test_other_kinds_are_named(tmp_path):
    save({"a": {"x": zeros(1)}, "b": [1, 2], "c": 1}, checkpoint_id=tmp_path)
    words = "a is a tensor here and a dict in the checkpoint, b is a list of 1 here and a list of 2 in the checkpoint"
    with raises(StateMismatchError, "load", words):
        load({"a": zeros(1), "b": [1], "c": 2}, checkpoint_id=tmp_path)


def save_different(rank, folder):
    save({"x": zeros(2 + rank)}, checkpoint_id=folder)


def test_ranks_with_other_tensors_are_named(tmp_path):
    for message in errors(2, save_different, str(tmp_path)):
        assert "'x' is float32 (2,) on rank 0, and float32 (3,) on rank 1" in message
    assert not os.listdir(tmp_path)
    with pytest.raises(TypeError, match=r"the object\['f'\] is a builtins.function"):
        save({"f": load_other}, checkpoint_id=tmp_path)


def test_a_directory_without_a_checkpoint_and_a_damaged_one_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no complete checkpoint in this directory"):
        load({}, checkpoint_id=tmp_path)
    save({"x": zeros(100)}, checkpoint_id=tmp_path)
    file = tmp_path / "rank-00000.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(CheckpointError) as caught:
        load({"x": zeros(100)}, checkpoint_id=tmp_path)
    assert "rank-00000" in caught.value.path
    text = (tmp_path / "index.json").read_text()
    for old, new in (("rank-00000", "../rank-00000"), ('"version": 1', '"version": 2'), ("[0, 100]", "[0, 99]")):
        assert old in text
        (tmp_path / "index.json").write_text(text.replace(old, new))
        with pytest.raises(CheckpointError):
            load({"x": zeros(100)}, checkpoint_id=tmp_path)


def save_on_full_disk(rank, folder):
    _index._SPLIT_BYTES = 1000
    if rank == 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    save(new_state(2), checkpoint_id=folder)


def test_a_full_disk_leaves_the_former_checkpoint(tmp_path):
    run(3, save_state, str(tmp_path))
    before = sorted(os.listdir(tmp_path))
    messages = errors(3, save_on_full_disk, str(tmp_path))
    assert messages[1].startswith("FileError: ") and "save: File too large; there was no file before" in messages[1]
    assert messages[0].startswith("RankError: save: rank 1 failed: ") and messages[2].startswith("RankError: ")
    assert sorted(os.listdir(tmp_path)) == before
    run(2, load_state, str(tmp_path))


def die_while_saving(rank, folder, place):
    _index._SPLIT_BYTES = 1000

    def die(*arguments):
        os.kill(os.getpid(), signal.SIGKILL)

    if place == "file" and rank == 1:
        os.fsync = die
    if place == "index" and rank == 0:
        _saving.write_index = die
    save(new_state(2), checkpoint_id=folder)


@pytest.mark.parametrize("place", ["file", "index"])
def test_a_kill_while_saving_leaves_the_former_checkpoint(tmp_path, place):
    run(2, save_state, str(tmp_path))
    found = finish(start(2, die_while_saving, str(tmp_path), place))
    survivor = found[1 if place == "index" else 0]
    assert survivor[0] == "error" and "RankError" in survivor[1] and "has ended" in survivor[1]
    run(3, load_state, str(tmp_path))
    run(2, save_state, str(tmp_path), 4)
    run(1, load_state, str(tmp_path), 4)
    assert sorted(os.listdir(tmp_path)) == ["index.json", "rank-00000.1.safetensors", "rank-00001.1.safetensors"]


def save_in_background(rank, folder):
    _index._SPLIT_BYTES = 1000
    for value in (1, 2):
        state = new_state(value)
        future = async_save(state, checkpoint_id=folder)
        state["model"]["layer1"].zero_()
        dist.all_reduce(zeros(3))  # at the same time
        state["model"]["large"].zero_()
        if value == 2:
            assert future.result() is None
    return True


def test_a_save_in_the_background_copies_first(tmp_path):
    assert run(2, save_in_background, str(tmp_path)) == [True, True]
    run(1, load_state, str(tmp_path), 2)


def fail_in_background(rank, folder):
    _index._SPLIT_BYTES = 1000
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    if rank == 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, former[1]))
    error = async_save(new_state(1), checkpoint_id=folder).exception()
    resource.setrlimit(resource.RLIMIT_FSIZE, former)
    return type(error).__name__


def test_errors_in_the_background_are_those_of_the_future(tmp_path):
    assert run(2, fail_in_background, str(tmp_path)) == ["RankError", "FileError"]


def test_invalid_arguments_are_refused(tmp_path):
    with pytest.raises(ValueError, match="expected checkpoint_id, the path of a directory; it is missing"):
        save({})
    with pytest.raises(TypeError, match="expected the path of a directory; got 3"):
        load({}, checkpoint_id=3)
    with pytest.raises(NotImplementedError, match="expected planner=None"):
        load({}, checkpoint_id=tmp_path, planner=object())
