"""Handmade and random snapshots, for the tests that read, draw and explain them."""

import random

MIB = 1 << 20


def frame(filename="train.py", line=1, name="step"):
    return {"filename": filename, "line": line, "name": name}


def segment(*blocks, address=1 << 30, device=0, stream=0, kind="large", pool=(0, 0)):
    """Return a segment of blocks, each given as its state ("used", "wait" or "free"), size, and allocating frames."""
    states = {"used": "active_allocated", "wait": "active_awaiting_free", "free": "inactive"}
    rows, at = [], address
    for state, size, *rest in blocks:
        frames = list(rest[0]) if rest else []
        requested = 0 if state == "free" else rest[1] if len(rest) > 1 else size
        row = {"address": at, "size": size, "requested_size": requested, "state": states[state], "frames": frames}
        rows.append(row)
        at += size
    active = [row for row in rows if row["state"] != "inactive"]
    return {
        "device": device,
        "address": address,
        "total_size": at - address,
        "allocated_size": sum(row["size"] for row in rows if row["state"] == "active_allocated"),
        "active_size": sum(row["size"] for row in active),
        "requested_size": sum(row["requested_size"] for row in active),
        "stream": stream,
        "segment_type": kind,
        "segment_pool_id": pool,
        "is_expandable": False,
        "frames": [],
        "blocks": rows,
    }


def snapshot(*segments, traces=None, **settings):
    devices = 1 + max((one["device"] for one in segments), default=0)
    return {
        "segments": list(segments),
        "device_traces": traces or [[] for _ in range(devices)],
        "allocator_settings": settings,
    }


def random_snapshot(seed, *, events=200):
    """Return a snapshot of a random run, recorded from its middle, and (requested, reserved) after each event.

    Each block is at the start of a separate segment, followed by the rest of the segment.
    """
    draw = random.Random(seed)
    sites = [
        [frame(f"/srv/site-packages/shop/{name}.py", 10 * i, name)] for i, name in enumerate(["till", "<b>", "é"], 1)
    ]
    live, rows, trace, history = [], [], [], []
    address, now, requested, reserved = 1 << 20, 0, 0, 0

    def note(action, at, size, frames=()):
        trace.append({"action": action, "addr": at, "size": size, "stream": 0, "time_us": now, "frames": list(frames)})
        history.append((requested, reserved))

    for number in range(events + 50):
        if number == 50:
            trace.clear()
            history.clear()
        now += draw.randrange(1, 40)
        if live and draw.random() < 0.45:
            row = live.pop(draw.randrange(len(live)))
            first, *others = row["blocks"]
            wanted = first["requested_size"]
            requested -= wanted
            note("free_requested", row["address"], wanted)
            note("free_completed", row["address"], wanted)
            others = [("free", one["size"]) for one in others]
            row.update(segment(("free", first["size"]), *others, address=row["address"]))
            continue
        size, left = 512 * draw.randrange(1, 4000), 512 * draw.randrange(0, 4)
        wanted, frames = size - draw.randrange(512), draw.choice(sites)
        row = segment(("used", size, frames, wanted), *[("free", left)] * bool(left), address=address)
        reserved += row["total_size"]
        note("segment_alloc", address, row["total_size"])
        requested += wanted
        note("alloc", address, wanted, frames)
        rows.append(row)
        live.append(row)
        address += row["total_size"] + 4096
    return snapshot(*rows, traces=[trace], expandable_segments=False), history
