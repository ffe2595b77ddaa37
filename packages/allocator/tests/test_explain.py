"""The text of an out-of-memory error: its figures are the snapshot's, and its advice follows from the state."""

import re

import pytest
from snapshot_samples import MIB, frame, random_snapshot, segment, snapshot

from facula_allocator.snapshots import explain
from facula_errors.testing import raises

MODEL, DATA = [frame("/srv/app/model.py", 40, "forward")], [frame("/srv/app/data.py", 7, "load")]
EMPTY = snapshot()


def number(text, name):
    """Return the bytes in the line with that name."""
    size, unit = re.search(rf"^  {name} +([\d.]+) (\w+)", text, re.MULTILINE).groups()
    return float(size) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]


@pytest.mark.parametrize("seed", range(5))
def test_the_figures_equal_the_snapshots(seed):
    wanted, _ = random_snapshot(seed)
    text = explain(wanted, 40 * MIB)
    blocks = [block for one in wanted["segments"] for block in one["blocks"]]
    used = [block for block in blocks if block["state"] == "active_allocated"]
    free = [block["size"] for block in blocks if block["state"] == "inactive"]
    assert text.startswith("out of memory: 40 MiB requested on device 0\n")
    close = pytest.approx
    assert number(text, "reserved") == close(sum(one["total_size"] for one in wanted["segments"]), rel=1e-3)
    assert number(text, "in use") == close(sum(block["size"] for block in used), rel=1e-3)
    assert number(text, "free") == close(sum(free), rel=1e-3)
    assert number(text, "largest block") == close(max(free), rel=1e-3)
    assert f"in {len(used)} blocks, of which" in text and f"in {len(free)} blocks\n" in text
    share = float(re.search(r"fragmentation +(\d+)%", text)[1])
    assert share == close(100 * (1 - max(free) / sum(free)), abs=0.51)
    by_line = {}
    for block in used:
        by_line.setdefault(block["frames"][0]["name"], []).append(block["size"])
    rows = re.findall(r"^ +([\d.]+) MiB +(\d+)%  (\S+:\d+) (\S+)  \((\d+) blocks?\)", text, re.MULTILINE)
    assert {name: int(count) for *_, name, count in rows} == {name: len(sizes) for name, sizes in by_line.items()}
    for size, share, _, name, _ in rows:
        assert float(size) * MIB == close(sum(by_line[name]), rel=1e-3)
        assert float(share) == close(100 * sum(by_line[name]) / sum(map(sum, by_line.values())), abs=0.51)
    assert [float(row[0]) for row in rows] == sorted((float(row[0]) for row in rows), reverse=True)
    assert re.search(r"live bytes by module\n(?: .*\n)* .* shop\.till  \(", text)


def test_the_text_names_device_stream_and_pool():
    wanted = snapshot(
        segment(("free", 8 * MIB), stream=3, pool=(0, 2)),
        segment(("free", 2 * MIB), address=1 << 40, stream=3, pool=(0, 2), kind="small"),
        segment(("free", 99 * MIB), address=1 << 50, device=1),
        traces=[[], []],
    )
    text = explain(wanted, 9 * MIB, stream=3, pool=(0, 2))
    assert text.startswith("out of memory: 9 MiB requested on device 0, private pool (0, 2), stream 3\n")
    assert "8 MiB  of the free bytes (private pool (0, 2), stream 3, large blocks)" in text
    assert "2 MiB  of the free bytes" in explain(wanted, 1000, stream=3, pool=(0, 2))
    assert number(explain(wanted, 1000, device=1), "reserved") == 99 * MIB
    assert explain(wanted, 1, place="host memory").startswith("out of memory: 1 B of host memory requested\n")
    wanted["allocator_settings"]["small_size"] = 100
    assert "8 MiB  of the free bytes" in explain(wanted, 1000, stream=3, pool=(0, 2))


PIECES = [("used", 6 * MIB, MODEL), ("free", 4 * MIB), ("used", 4 * MIB, DATA)] * 30
FULL = snapshot(segment(("used", 60 * MIB, MODEL), ("used", 50 * MIB, DATA)))
OTHER = segment(("free", 64 * MIB), address=1 << 40, stream=5)
PRIVATE = segment(("free", 64 * MIB), address=1 << 40, pool=(1, 0))
CASES = {  # the state, the request, further knowledge: text that must occur, and text that must not
    "too large": (EMPTY, 9 << 30, {"device_total": 8 << 30}, "larger than the whole device (8 GiB)", "The limit of"),
    "over the limit": (FULL, 50 * MIB, {"limit": 120 * MIB, "device_free": 80 * MIB},
                       "limit of 120 MiB stops this, although the device has 80 MiB free", "larger than"),
    "within the limit": (FULL, 5 * MIB, {"limit": 120 * MIB}, "really in use", "limit of"),
    "in pieces": (snapshot(segment(*PIECES), expandable_segments=False), 50 * MIB, {},
                  "120 MiB are free in this pool, but in pieces of at most 4 MiB: turn on expandable_segments",
                  "really in use"),
    "in pieces, expandable": (snapshot(segment(*PIECES), expandable_segments=True), 50 * MIB, {},
                              "expandable segments are on: allocate long-lived memory", "turn on expandable"),
    "no pieces": (FULL, 50 * MIB, {}, "100% of the reserved memory is really in use", "expandable_segments"),
    "another stream's": (snapshot(segment(*PIECES[:1]), OTHER), 50 * MIB, {},
                         "64 MiB are idle in other pools, most of it in stream 5, large blocks: empty", "graph"),
    "a private pool": (snapshot(segment(*PIECES[:1]), PRIVATE), 50 * MIB, {},
                       "private pool (1, 0), stream 0, large blocks: drop the graphs", "empty_cache"),
    "beside live blocks": (snapshot(segment(*PIECES, stream=5)), 50 * MIB, {}, "setting max_split", "idle in"),
    "awaited": (snapshot(segment(("wait", 30 * MIB, DATA))), 50 * MIB, {},
                "30 MiB are freed, but other streams may still use them: synchronize", "idle in"),
    "other processes": (FULL, 50 * MIB, {"device_total": 1 << 30, "device_free": MIB},
                        "913 MiB of the device are in use outside this allocator", "larger than"),
    "nobody else": (FULL, 50 * MIB, {"device_total": 112 * MIB, "device_free": 2 * MIB}, "in use", "outside this"),
    "one line": (FULL, 50 * MIB, {}, "app/model.py:40 forward holds 55% of the live bytes in 1 block: start", "size"),
    "kept each time": (snapshot(segment(*PIECES)), 50 * MIB, {}, "in 30 blocks of similar sizes: does each", ": start"),
    "rounding": (snapshot(segment(*[("used", 4 * MIB, DATA, 3 * MIB)] * 20)), 50 * MIB, {},
                 "20 MiB of the memory in use are rounding: allocate many small blocks as one", "idle in"),
    "rounding that was chosen": (snapshot(segment(*[("used", 4 * MIB, DATA, 3 * MIB)] * 20),
                                          roundup_power2_divisions=2), 50 * MIB, {},
                                 "rounding: raise roundup_power2_divisions, or set it to 0", "allocate many"),
    "in pieces, no such option": (snapshot(segment(*PIECES)), 50 * MIB, {},
                                  "an allocator with expandable segments serves", "turn on"),
    "split although bounded": (snapshot(segment(*PIECES, stream=5), max_split_size=30 * MIB), 50 * MIB, {},
                               "a lower max_split_size keeps", "setting max_split_size"),
    "no rounding": (FULL, 50 * MIB, {}, "really in use", "rounding"),
    "no lines": (snapshot(segment(("used", 4 * MIB))), 50 * MIB, {}, "record a history to see", "holds 100%"),
    "lines": (FULL, 50 * MIB, {}, "holds 55%", "record a history to see"),
    "nothing known": (EMPTY, 50 * MIB, {}, "Free memory that is no longer needed", "in use:"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_advice_follows_from_the_state(name):
    state, nbytes, known, said, not_said = CASES[name]
    text = explain(state, nbytes, **known)
    told = text.partition("what would help\n")[2]
    assert said in told and not_said not in told
    assert all(line.startswith("  * ") for line in told.splitlines()) and told


def test_the_limit_may_be_among_the_settings():
    text = explain(snapshot(segment(("used", 60 * MIB)), limit=100 * MIB), 50 * MIB)
    assert number(text, "limit") == 100 * MIB and "The limit of 100 MiB stops this" in text
    assert "limit" not in explain(snapshot(limit=None), 50 * MIB)


def test_blocks_lent_to_another_stream_count_as_its():
    one = segment(("used", 4 * MIB, DATA), ("free", 8 * MIB), ("free", 2 * MIB))
    one["blocks"][1]["stream"] = 3
    assert "8 MiB  of the free bytes (stream 3" in explain(snapshot(one), 9 * MIB, stream=3)
    assert "2 MiB  of the free bytes (stream 0" in explain(snapshot(one), 9 * MIB)


def test_many_lines_are_truncated_and_summed():
    blocks = [("used", MIB * (20 - i), [frame(f"m{i}.py", 1 + i, "f")]) for i in range(12)]
    text = explain(snapshot(segment(*blocks)), MIB)
    assert text.count("m0.py:1 f") == 1 and "m8.py" not in text and "m7" in text
    assert text.count("  42 MiB  24%  4 others") == 2


def test_control_characters_of_files_are_escaped():
    wanted = snapshot(segment(("used", 64, [frame("a\x1b[2J.py", 3, "f\r\n")])))
    assert "a\\x1b[2J.py:3 f\\r\\n" in explain(wanted, 5)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"nbytes": 1.5}, TypeError, "expected an integer nbytes; got 1.5"),
        ({"nbytes": -1}, ValueError, "expected nbytes from 0; got -1"),
        ({"limit": "1GiB"}, TypeError, "integer limit; got '1GiB'"),
        ({"stream": None}, TypeError, "integer stream"),
        ({"pool": 1}, TypeError, "two integers as pool; got 1"),
        ({"snapshot": []}, TypeError, "expected a snapshot, a dict; got list"),
        ({"snapshot": {}}, ValueError, "expected the key 'segments'; got none; at the top of the snapshot"),
    ],
)
def test_invalid_arguments(arguments, kind, message):
    with raises(kind, "explain", message):
        explain(**{"snapshot": EMPTY, "nbytes": 1, **arguments})
