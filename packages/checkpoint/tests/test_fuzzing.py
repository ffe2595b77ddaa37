"""Randomly modified files: rejected, or read as the safetensors library reads them."""

from __future__ import annotations

import resource

import numpy as np
import pytest
import safetensors
from checkpoint_testing import described, entry, file_bytes, parts, random_parts, raw
from hypothesis import given
from hypothesis import strategies as some

import facula_storage as st
from facula_checkpoint import CheckpointError, load, load_file, load_metadata, save

READERS = [load_file, lambda path: load_file(path, lazy=False), load, load_metadata]
D = bytes(8)  # one tensor's data
E = entry()


def valid_file(folder):
    path = folder / "valid"
    tensors = {
        "w": parts(np.arange(6, dtype=np.float32).reshape(2, 3)),
        "mask": random_parts(st.bool_, (5,)),
        "none": parts(np.zeros((0, 2))),
        "z": random_parts(st.complex128, (2,)),
        "h": random_parts(st.bfloat16),
    }
    save({"model": tensors, "betas": (0.9, float("nan"))}, path, metadata={"format": "pt"})
    return path.read_bytes()


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    return valid_file(tmp_path_factory.mktemp("valid"))


places = some.integers(0, 1 << 30)
TOKENS = b'" { } [ ] , : 0 9 - . e F16 I64 BOOL null \\ \0 \xff "w" 1111111111111111111111'.split(b" ")
tokens = some.sampled_from([*TOKENS, b" "])
mutations = some.one_of(
    some.tuples(some.just("flip"), places, some.integers(0, 7)),
    some.tuples(some.just("set"), places, tokens | some.binary(min_size=1, max_size=4)),
    some.tuples(some.just("insert"), places, tokens | some.binary(min_size=1, max_size=4)),
    some.tuples(some.just("delete"), places, some.integers(1, 20)),
    some.tuples(some.just("cut"), places, some.none()),
    some.tuples(some.just("repeat"), places, some.integers(1, 60)),
)


def mutated(content, changes, mend):
    """Return `content` with `changes`, mostly in the header; `mend` corrects the length of the header."""
    data_start = 8 + int.from_bytes(content[:8], "little")
    data, made = content[data_start:], bytearray(content)
    for kind, where, what in changes:
        at = where % (len(made) if where % 7 == 0 else max(1, len(made) - len(data))) if made else 0
        if kind == "flip" and made:
            made[at] ^= 1 << what
        elif kind == "set":
            made[at : at + len(what)] = what
        elif kind == "insert":
            made[at:at] = what
        elif kind == "delete":
            del made[at : at + what]
        elif kind == "cut":
            del made[at:]
        elif kind == "repeat":
            made[at:at] = made[at : at + what]
    if mend and len(made) > 8 + len(data):
        made[:8] = (len(made) - 8 - len(data)).to_bytes(8, "little")
    return bytes(made)


def outcome(reader, path):
    try:
        return reader(path)
    except CheckpointError:
        return None


@given(changes=some.lists(mutations, min_size=1, max_size=4), mend=some.booleans())
def test_a_mutated_file_is_refused_or_read_as_the_library_reads_it(tmp_path_factory, valid, changes, mend):
    path = tmp_path_factory.getbasetemp() / "mutated"
    content = mutated(valid, changes, mend)
    path.write_bytes(content)
    loaded = outcome(load_file, path)
    again = outcome(lambda path: load_file(path, lazy=False), path)
    outcome(load, path)
    outcome(load_metadata, path)
    assert (loaded is None) == (again is None)
    if loaded is None:
        return
    theirs = {name: bytes(tensor["data"]) for name, tensor in safetensors.deserialize(content)}
    assert {name: raw(tensor) for name, tensor in loaded.items()} == theirs
    assert {name: described(tensor) for name, tensor in loaded.items()} == {
        name: described(tensor) for name, tensor in again.items()
    }


@given(content=some.binary(max_size=300), whole=some.booleans())
def test_random_bytes_are_refused(tmp_path_factory, content, whole):
    path = tmp_path_factory.getbasetemp() / "random"
    content = content if whole else file_bytes(b"{" + content)
    path.write_bytes(content)
    if content[8:].strip() != b"{}":
        for reader in READERS:
            assert outcome(reader, path) is None


def test_the_fuzzers_comparison_is_made(valid, tmp_path):
    """A change of only the first tensor's data yields a file that both readers accept."""
    path = tmp_path / "changed"
    start = 8 + int.from_bytes(valid[:8], "little")
    content = mutated(valid, [("flip", start + -start % 7, 3)], True)
    path.write_bytes(content)
    assert content[:start] == valid[:start]
    assert content[start:] != valid[start:]
    assert {name: raw(tensor) for name, tensor in load_file(path).items()} == {
        name: bytes(tensor["data"]) for name, tensor in safetensors.deserialize(content)
    }


def test_rejections_do_not_leak(path, valid):
    """Repeated rejections leak neither descriptors nor mappings."""
    path.write_bytes(valid[:-1])
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    for _ in range(min(soft, 2000) + 10):
        with pytest.raises(CheckpointError):
            load_file(path)
