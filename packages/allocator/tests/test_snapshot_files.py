"""Snapshots in files: round trips, and damaged or malicious files, which are refused with the place of the error."""

import copy
import json
import os
import pickle
import pickletools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshot_samples import frame, random_snapshot, segment, snapshot

from facula_allocator.snapshots import CorruptFileError, read_snapshot, write_snapshot
from facula_errors.testing import raises

# Every instruction that the pickle reader in PyTorch's MemoryViz.js supports (2.13).
VIEWER = set(
    "APPENDS BINGET BININT BININT1 BININT2 EMPTY_DICT EMPTY_LIST FRAME LONG1 LONG_BINGET MARK MEMOIZE PROTO SETITEMS "
    "SHORT_BINUNICODE STOP TUPLE2 APPEND NEWFALSE BINPUT BINUNICODE EMPTY_TUPLE NEWTRUE NONE BINFLOAT TUPLE TUPLE1 "
    "TUPLE3 LONG_BINPUT LIST DICT SETITEM".split()
)
SMALL = snapshot(segment(("used", 1024, [frame()]), ("wait", 512, [frame()]), ("free", 512)), expandable_segments=True)


@pytest.mark.parametrize("name", ["a.json", "a.pickle", "a.pkl"])
@pytest.mark.parametrize("seed", range(3))
def test_files_round_trip(tmp_path, name, seed):
    wanted, _ = random_snapshot(seed)
    before = copy.deepcopy(wanted)
    write_snapshot(wanted, tmp_path / name)
    assert read_snapshot(tmp_path / name) == wanted == before
    assert os.listdir(tmp_path) == [name]


def test_the_format_follows_the_name_or_argument(tmp_path):
    write_snapshot(SMALL, tmp_path / "one", format="pickle")
    write_snapshot(SMALL, tmp_path / "two.pickle", format="json")
    assert read_snapshot(tmp_path / "one") == read_snapshot(tmp_path / "two.pickle") == SMALL
    assert json.loads((tmp_path / "two.pickle").read_text())["segments"][0]["segment_pool_id"] == [0, 0]
    with raises(ValueError, "write_snapshot", "expected JSON or a pickle", "name the file", value="the file"):
        write_snapshot(SMALL, tmp_path / "three.txt")
    with raises(ValueError, "write_snapshot", value="format='yaml'"):
        write_snapshot(SMALL, tmp_path / "three.json", format="yaml")


def test_the_pickle_uses_only_instructions_of_the_viewer(tmp_path):
    wanted, _ = random_snapshot(1)
    wanted["segments"][0]["address"] += 1 << 46  # an address in CUDA's range
    wanted["segments"][0]["blocks"] = segment(("used", wanted["segments"][0]["total_size"]))["blocks"]
    for name in ("allocated_size", "active_size", "requested_size"):
        del wanted["segments"][0][name]
    del wanted["segments"][0]["blocks"][0]["address"]
    write_snapshot(wanted, tmp_path / "a.pickle")
    data = (tmp_path / "a.pickle").read_bytes()
    used = {opcode.name for opcode, _, _ in pickletools.genops(data)}
    assert used <= VIEWER
    assert data[:2] == b"\x80\x04"


def test_waiting_blocks_have_the_viewers_name_in_the_pickle(tmp_path):
    write_snapshot(SMALL, tmp_path / "a.pickle")
    blocks = pickle.loads((tmp_path / "a.pickle").read_bytes())["segments"][0]["blocks"]
    assert [block["state"] for block in blocks] == ["active_allocated", "active_pending_free", "inactive"]
    assert SMALL["segments"][0]["blocks"][1]["state"] == "active_awaiting_free"
    assert read_snapshot(tmp_path / "a.pickle") == SMALL


def test_requested_size_may_exclude_waiting_blocks(tmp_path):
    other = copy.deepcopy(SMALL)
    other["segments"][0]["requested_size"] = 1024
    other["segments"][0]["blocks"][2]["stream"] = 7
    write_snapshot(other, tmp_path / "a.json")
    assert read_snapshot(tmp_path / "a.json") == other


def test_missing_keys_are_filled_in(tmp_path):
    bare = {"segments": [{"address": 64, "total_size": 64, "blocks": [{"size": 64, "state": "active_allocated"}]}],
            "device_traces": [[{"action": "oom", "size": 5, "device_free": 1, "pool_id": (0, 1)}, {"action": "new"}]],
            "annotations": [{"stage": 1, 4: 2.5}]}  # fmt: skip
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(bare, protocol=2))
    found = read_snapshot(tmp_path / "a.pkl")
    assert found["segments"] == [segment(("used", 64), address=64)]
    assert found["device_traces"][0][0] == {"action": "oom", "size": 5, "stream": 0, "device_free": 1, "frames": [],
                                            "pool_id": [0, 1]}  # fmt: skip
    assert found["allocator_settings"] == {} and found["annotations"] == [{"stage": 1, "4": 2.5}]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles_of_each_protocol(tmp_path, protocol):
    wanted, _ = random_snapshot(2)
    wanted["long"] = "é" * 300
    wanted["numbers"] = [0, 255, 256, 65536, -1, 1 << 31, 1 << 62, -(1 << 63), 0.5, None, True, False, [], {}]
    wanted["lists"] = [[1], [1, 2], [1, 2, 3, 4]]
    (tmp_path / "a").write_bytes(pickle.dumps({**wanted, "lists": [(1,), (1, 2), (1, 2, 3, 4)]}, protocol=protocol))
    assert read_snapshot(tmp_path / "a") == wanted


class Harm:
    def __reduce__(self):
        return os.system, ("touch harm",)


@pytest.mark.parametrize("protocol", [0, 1, 2, 4, 5])
def test_a_pickle_is_not_executed(tmp_path, monkeypatch, protocol):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.pickle").write_bytes(pickle.dumps({**SMALL, "more": Harm()}, protocol=protocol))
    with raises(CorruptFileError, "read_snapshot", "a.pickle") as caught:
        read_snapshot("a.pickle")
    assert caught.value.path == "a.pickle" and caught.value.place
    assert os.listdir(tmp_path) == ["a.pickle"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "an empty file; at byte 0"),
        (b" \n", "only white space"),
        (b"\x80", "more bytes; the file ends after 0; at byte 1"),
        (b"\x80\x04", "expected a complete pickle; the file ends; at byte 2"),
        (b"\x80\x09.", "protocol 2 to 5; got 9; at byte 1"),
        (b"\x80\x04cos\nsystem\n.", "got the instruction GLOBAL; at byte 2"),
        (b"\x80\x04\x93.", "STACK_GLOBAL"),
        (b"\x80\x04\xff.", "the byte 0xff; at byte 2"),
        (b"\x80\x04C\x01a.", "SHORT_BINBYTES"),
        (b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.", "a frame of"),
        (b"\x80\x04X\xff\xff\xff\xffa.", "expected 4294967295 more bytes"),
        (b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffa.", "more bytes"),
        (b"\x80\x04\x8b\xff\xff\xff\x7f.", "an integer of at most 16 bytes"),
        (b"\x80\x04}r\xff\xff\xff\x7fj\x01\x00\x00\x00.", "the number of an object before it; got 1"),
        (b"\x80\x04]]s.", "lacks its operands"),
        (b"\x80\x04}(]K\x01u.", "expected a key that is text or an integer"),
        (b"\x80\x04}K\x01K\x02K\x03a.", "got APPEND: expected a list, got a int"),
        (b"\x80\x04}].", "expected one object; got 2"),
        (b"\x80\x04}.}", "expected the end of the pickle; got 1 bytes more"),
        (b"\x80\x04\x8c\x01\xff.", "SHORT_BINUNICODE"),
        (b"\x80\x04" + b"(" * 100000 + b"t" * 100000 + b".", "expected a dict; got a tuple; at the top"),
        (b"[1]", "expected a dict; got a list; at the top"),
        (b'{"segments": [], "device_tra', "expected complete JSON ... at line 1, column 18"),
        (b'{"segments": []}', "expected the key 'device_traces'; got 'segments'"),
        (b'{"segments": [], "device_traces": [[NaN]]}', "finite"),
        (b'{"segments": [], "device_traces": [], "x": 1e999}', "finite"),
        (b'{"segments": [], "device_traces": [], "x": ' + b"9" * 9999 + b"}", "expected a snapshot"),
        (b"[" * 200000, "too deeply nested"),
        (b'{"segments": [], "device_traces": [], "x": ' + b"[" * 500 + b"]" * 500 + b"}", "too deep"),
        (b'{"segments": "\xff"}', "at byte 14"),
    ],
    ids=range(30),
)
def test_damage_is_named_with_its_place(tmp_path, data, message):
    (tmp_path / "bad.file").write_bytes(data)
    with raises(CorruptFileError, "read_snapshot", message) as caught:
        read_snapshot(tmp_path / "bad.file")
    assert "bad.file; write the snapshot again" in str(caught.value)


def test_the_message_is_short_for_any_keys(tmp_path):
    many = {f"{'x' * 500}{i}": 1 for i in range(5000)}
    (tmp_path / "a").write_bytes(pickle.dumps(many))
    with raises(CorruptFileError, "read_snapshot", "expected the key 'segments'", "…") as caught:
        read_snapshot(tmp_path / "a")
    assert len(str(caught.value)) < 1000


def test_a_pickle_that_refers_to_itself(tmp_path):
    circle = snapshot(segment(("used", 64)))
    circle["self"] = circle
    laughs = ["ha"]
    for _ in range(7):
        laughs = [laughs] * 100
    for one in (circle, {**SMALL, "laughs": laughs}):
        (tmp_path / "a.pickle").write_bytes(pickle.dumps(one))
        with raises(CorruptFileError, "read_snapshot", "too deep or too large"):
            read_snapshot(tmp_path / "a.pickle")


def change(path, value):
    def at(wanted):
        *way, last = path
        for step in way:
            wanted = wanted[step]
        if value is KeyError:
            del wanted[last]
        else:
            wanted[last] = value

    return at


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("segments", 0, "total_size"), 4096, "blocks of 4096 bytes together; got 2048; at segments[0].blocks"),
        (("segments", 0, "allocated_size"), 5, "1024, as the blocks say; got 5; at segments[0].allocated_size"),
        (("segments", 0, "address"), -1, "an integer from 0 ... got -1; at segments[0].address"),
        (("segments", 0, "address"), True, "got True"),
        (("segments", 0, "address"), "x" * 100, "got ' ... ..."),
        (("segments", 0, "address"), KeyError, "expected the key 'address'"),
        (("segments", 0, "segment_pool_id"), [1], "two integers"),
        (("segments", 0, "stream"), None, "got None"),
        (("segments", 0, "is_expandable"), 1, "True or False"),
        (("segments", 0, "blocks", 1, "state"), "odd", "got 'odd'; at segments[0].blocks[1].state"),
        (("segments", 0, "blocks", 1, "state"), [], "got a list"),
        (("segments", 0, "blocks", 1, "size"), 0, "at least one byte"),
        (("segments", 0, "blocks", 1, "address"), 7, "the end of the previous block; got 7"),
        (("segments", 0, "blocks", 0, "requested_size"), 5000, "at most the block's 1024; got 5000"),
        (("segments", 0, "blocks", 0, "frames", 0, "line"), "1", "blocks[0].frames[0].line"),
        (("segments", 0, "blocks", 0, "frames", 0, "name"), KeyError, "expected the key 'name'"),
        (("segments", 0, "blocks"), {}, "a list; got a dict"),
        (("segments", 0), 1, "a dict; got 1; at segments[0]"),
        (("device_traces", 0), [{"action": "alloc", "size": 1}], "'addr' ... at device_traces[0][0]"),
        (("device_traces", 0), [{"action": 1}], "text; got 1"),
        (("allocator_settings",), {"x": {1, 2}}, "got a set; at allocator_settings.x"),
        (("allocator_settings",), {1: 2}, "keys that are text; got 1"),
        (("segments",), [segment(("used", 8192), address=4096), segment(("used", 64), address=8192)], "do not overlap"),
    ],
)
def test_invalid_parts_are_named_in_files_and_arguments(tmp_path, path, value, message):
    wanted = copy.deepcopy(SMALL)
    change(path, value)(wanted)
    with raises(ValueError, "write_snapshot", message, "of the snapshot", "pass"):
        write_snapshot(wanted, tmp_path / "a.json")
    assert os.listdir(tmp_path) == []
    if not any(isinstance(one, set) for one in wanted["allocator_settings"].values()):
        (tmp_path / "a").write_bytes(pickle.dumps(wanted))
        with raises(CorruptFileError, "read_snapshot", message):
            read_snapshot(tmp_path / "a")


def test_files_and_arguments_that_are_not_snapshots(tmp_path):
    with raises(TypeError, "write_snapshot", "expected a snapshot, a dict", value="list"):
        write_snapshot([], tmp_path / "a.json")
    with raises(FileNotFoundError, "read_snapshot", "cannot read the file: No such file"):
        read_snapshot(tmp_path / "none.json")
    with raises(IsADirectoryError, "read_snapshot", value="a folder"):
        read_snapshot(tmp_path)
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(IsADirectoryError):
        write_snapshot(SMALL, tmp_path / "folder.json")
    with raises(FileNotFoundError, "write_snapshot", "cannot write the file"):
        write_snapshot(SMALL, tmp_path / "no" / "a.json")


def test_a_failed_write_keeps_the_former_file(tmp_path, monkeypatch):
    write_snapshot(SMALL, tmp_path / "a.json")
    before = (tmp_path / "a.json").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with raises(OSError, "write_snapshot", "No space left"):
        write_snapshot(random_snapshot(0)[0], tmp_path / "a.json")
    assert (tmp_path / "a.json").read_bytes() == before and os.listdir(tmp_path) == ["a.json"]


def test_paths_that_are_not_utf8(tmp_path):
    odd = snapshot(segment(("used", 64, [frame("a\udcff.py")])), **{"k\udcff": {"\udcff": "\udcff"}})
    for name in ("a.json", "a.pickle"):
        write_snapshot(odd, tmp_path / name)
        found = read_snapshot(tmp_path / name)
        assert found["allocator_settings"] == {"k\\udcff": {"\\udcff": "\\udcff"}}
        assert found["segments"][0]["blocks"][0]["frames"][0]["filename"] == "a\\udcff.py"


WHOLE = {kind: None for kind in ("json", "pickle")}


@given(kind=st.sampled_from(sorted(WHOLE)), data=st.data())
def test_damage_raises_no_other_error(tmp_path_factory, kind, data):
    """Cutting, changing or inserting any bytes leads to a snapshot or a CorruptFileError, never to another error."""
    if WHOLE[kind] is None:
        path = tmp_path_factory.mktemp("whole") / "a"
        write_snapshot(random_snapshot(3, events=5)[0], path, format=kind)
        WHOLE[kind] = path.read_bytes()
    whole = bytearray(WHOLE[kind])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        match data.draw(st.sampled_from(["change", "insert", "cut"])):
            case "change":
                whole[at] = data.draw(st.integers(0, 255))
            case "insert":
                whole[at:at] = data.draw(st.binary(max_size=4))
            case "cut":
                del whole[at : at + data.draw(st.integers(1, 8))]
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(whole)
    try:
        found = read_snapshot(path)
    except CorruptFileError as error:
        assert "damaged" in str(error)
    else:
        assert set(found) >= {"segments", "device_traces", "allocator_settings"}
