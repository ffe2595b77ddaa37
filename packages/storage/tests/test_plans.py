"""Plans, plan tables, and listeners."""

import gc
import threading
import time
import weakref

import pytest
from storage_helpers import Running

from facula_storage import Device, Plan, complex128, contiguous, float32, int8, listen
from facula_storage import _plans as plans
from facula_storage._dtypes import DTYPES_PER_DEVICE
from facula_storage.extend import PlanTable
from facula_storage.extend import plans as extend_plans

LAYOUT = contiguous((4,), float32)


def plan(name="add", calls=None, any_size=True):
    launch = (lambda *args: calls.append((name, args))) if calls is not None else (lambda *args: None)
    return Plan(name, ("p",), (LAYOUT,), launch, any_size=any_size)


def test_a_plan():
    one = plan()
    assert (one.out, one.workspace, one.any_size, one.parameters) == (LAYOUT, 0, True, ("p",))
    assert repr(one) == "Plan('add', ('p',), (Layout((4,), facula.float32),))"
    assert Plan("check", (), (), print).out is None


def test_lists_have_a_place_for_each_dtype_of_each_device():
    table = PlanTable("add")
    for device in (Device("meta"), Device("xpu:7")):
        # other tests create devices
        place = min(device.slot * DTYPES_PER_DEVICE + complex128.code, PlanTable.DENSE - 1)
        for launches in (table.dense, table.with_float, table.with_int, PlanTable("mul").dense):
            assert launches[place] is None
    assert contiguous((2,), complex128, Device("meta")).dense == DTYPES_PER_DEVICE + complex128.code


def test_the_first_plan_wins():
    table = PlanTable("add")
    first, second = plan(), plan()
    assert table.add("key", first) is table.add("key", second) is table.by_key["key"] is first


def test_dense_plans():
    table = PlanTable("add")
    for launches in (table.dense, table.with_float, table.with_int):
        table.add_dense(launches, LAYOUT.dense, plan(any_size=False))
        table.add_dense(launches, 0, plan())
        table.add_dense(launches, PlanTable.DENSE, plan())
        assert not any(launches)
        one = plan()
        table.add_dense(launches, LAYOUT.dense, one)
        assert launches[LAYOUT.dense] is one.launch
    kept = (table.by_key, table.dense, table.with_float, table.with_int)
    table.clear()
    assert list(map(id, kept)) == list(map(id, (table.by_key, table.dense, table.with_float, table.with_int)))
    assert not any(launch for launches in kept[1:] for launch in launches)


def test_tables_are_bounded():
    table = PlanTable("add")
    for i in range(PlanTable.LIMIT + 100):
        table.add(i, plan())
        assert i in table.by_key
        assert len(table.by_key) <= PlanTable.LIMIT
    assert len(table.by_key) > PlanTable.LIMIT - PlanTable.DROPPED
    assert 0 in table.by_key


def test_a_full_table_keeps_what_one_step_of_a_program_adds():
    table = PlanTable("add")
    for i in range(PlanTable.LIMIT + 5):
        table.add(i, plan())
    for i in range(-20, 0):  # fewer than one eviction removes
        table.add(i, plan())
    assert all(i in table.by_key for i in range(-20, 0))


def test_a_listener_hears_every_launch_of_every_table():
    calls, heard, before = [], [], []
    tables = [PlanTable(name) for name in ("add", "mul")]
    for table in tables:
        before.append(table.add("key", plan(table.operator, calls)))
        before[-1].launch(1)
        table.add_dense(table.dense, LAYOUT.dense, before[-1])
    with listen(lambda heard_plan, args: heard.append((heard_plan.operator, args, len(calls)))):
        for table, old in zip(tables, before, strict=True):
            inside = table.by_key["key"]
            inside.launch(2, 3)
            assert (inside.operator, inside.parameters, inside.out, inside.any_size) == (
                table.operator, ("p",), LAYOUT, True)  # fmt: skip
            assert inside.inner is inside.plain is old and table.add("key", plan()) is inside
            table.dense[LAYOUT.dense](4)
            table.add_dense(table.with_int, LAYOUT.dense, plan(table.operator, calls))
            table.with_int[LAYOUT.dense](5)
    # the last number: each was reported after its launch
    assert heard == [("add", (2, 3), 3), ("add", (4,), 4), ("add", (5,), 5),
                     ("mul", (2, 3), 6), ("mul", (4,), 7), ("mul", (5,), 8)]  # fmt: skip
    for table, old in zip(tables, before, strict=True):
        assert table.by_key["key"] is old and table.dense[LAYOUT.dense] is old.launch
        table.with_int[LAYOUT.dense](6)
    assert len(heard) == 6 and len(calls) == 10


def test_observers_of_layouts_find_plans_by_their_keys():
    """Check launches for any size from before the observer and during it; afterwards tables use them again."""
    table, other, seen = PlanTable("add"), PlanTable("fill"), []
    before, during, without_key = plan(), plan(), plan()
    table.add("before", before)
    table.add_dense(table.dense, LAYOUT.dense, before, is_keyed=True)
    other.add_dense(other.dense, LAYOUT.dense, without_key)
    observer = extend_plans.Observer(lambda p, launch: seen.append((p.outputs, launch)) or launch, needs_layouts=True)
    extend_plans.add_observer(observer)
    table.add("during", during)
    table.add_dense(table.with_float, LAYOUT.dense, during, is_keyed=True)
    assert table.dense[LAYOUT.dense] is table.with_float[LAYOUT.dense] is None
    assert ((LAYOUT,), before.launch) in seen and ((LAYOUT,), during.launch) in seen
    assert ((), without_key.launch) in seen  # without outputs: for any shape
    extend_plans.remove_observer(observer)
    assert table.dense[LAYOUT.dense] is before.launch and table.with_float[LAYOUT.dense] is during.launch
    assert other.dense[LAYOUT.dense] is without_key.launch
    assert table.by_key == {"before": before, "during": during}


def test_unused_tables_are_not_visited(monkeypatch):
    """A process has about a thousand tables; visiting all took most of the time of a short profile."""
    keyed, dense, unused, visited, observe = *(PlanTable(name) for name in ("add", "mul", "sub")), [], PlanTable.observe
    keyed.add("key", plan())
    dense.add_dense(dense.dense, LAYOUT.dense, plan())
    monkeypatch.setattr(PlanTable, "observe", lambda table: visited.append(table) or observe(table))
    with listen(lambda *_: None):
        assert keyed in visited and dense in visited and unused not in visited
        unused.add("key", plan())
    assert unused in visited and unused.by_key["key"].plain is None


def test_listeners_nest():
    table, heard = PlanTable("add"), []
    first, second = (lambda p, a: heard.append(1)), (lambda p, a: heard.append(2))
    with listen(first):
        with listen(second), listen(first):
            table.add("key", plan()).launch(1)
            assert heard == [1, 2, 1]
        heard.clear()
        table.add("key", plan()).launch(1)
        assert heard == [1]
    heard.clear()
    table.add("key", plan()).launch(1)
    assert heard == []


def test_errors_of_listeners_come_after_the_launch():
    table, calls = PlanTable("add"), []

    def listener(p, args):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), listen(listener):
        table.add("key", plan(calls=calls)).launch(1)
    assert calls == [("add", (1,))]
    table.add("key", plan(calls=calls)).launch(1)
    assert len(calls) == 2


def test_a_failed_launch_is_not_reported():
    table, heard = PlanTable("add"), []

    def refuse(*args):
        raise plans.LaunchError(1, 0, 0, 0, 0)

    with listen(lambda p, a: heard.append(p)), pytest.raises(plans.LaunchError):
        table.add("key", Plan("add", (), (LAYOUT,), refuse)).launch(1)
    assert heard == []


def test_closing_a_listener_that_is_not_open():
    with pytest.raises(IndexError, match="pop from empty list"):
        listen(print).__exit__()


def test_a_table_is_freed_with_its_operator(no_collector):
    table = PlanTable("add")
    table.add("key", plan())
    watch = weakref.ref(table)
    del table
    assert watch() is None


def test_no_outdated_plan_is_published(monkeypatch):
    """The listener is added while a plan is being published: the plan must not stay in the table unobserved."""
    table, heard, entered = PlanTable("add"), [], []

    class Meddling(dict):
        def setdefault(self, key, value):
            if not entered:
                entered.append(listening.__enter__())
            return super().setdefault(key, value)

    class MeddlingList(list):
        def __setitem__(self, place, value):
            if not entered and value is not None and not isinstance(place, slice):
                entered.append(listening.__enter__())
            super().__setitem__(place, value)

    listening = listen(lambda p, args: heard.append(args))
    table.by_key = Meddling()
    table.add("key", plan()).launch(1)
    listening.__exit__()
    assert heard == [(1,)]
    entered.clear()
    heard.clear()
    table.by_key.clear()
    table.dense = MeddlingList(table.dense)
    table.add_dense(table.dense, LAYOUT.dense, plan())
    table.dense[LAYOUT.dense](2)
    listening.__exit__()
    assert heard == [(2,)]


def test_threads_publish_launch_and_listen(often_switching):
    """While listeners come and go, an open one observes each launch that started with it, and tables stay correct."""
    table, stop = PlanTable("add"), threading.Event()
    layouts = [contiguous((i,), int8) for i in range(20)]

    def work():
        done = 0
        while not stop.is_set():
            for layout in layouts:
                known = table.by_key.get(layout)
                if known is None:
                    known = table.add(layout, Plan("add", (), (layout,), lambda *args: None))
                assert known.out is layout
                known.launch(done)
                done += 1
        return done

    def make_tables():
        while not stop.is_set():
            PlanTable("other")

    threads = [Running(work) for _ in range(4)] + [Running(make_tables)]
    for _ in range(60):
        heard = []
        with listen(lambda p, args, heard=heard: heard.append(p.out)):
            deadline = time.monotonic() + 600
            while len(heard) < 50 and time.monotonic() < deadline:
                pass
            assert len(heard) >= 50, "nothing was heard"
    stop.set()
    assert all(thread.finish() for thread in threads[:4])
    threads[4].finish()
    one = Plan("add", (), (LAYOUT,), print)
    assert table.add("fresh", one) is one


def test_listening_does_not_leak(no_collector):
    heard = []
    table = PlanTable("add")

    class Listener:
        def __call__(self, p, args):
            heard.append(args)

    listener = Listener()
    watch = weakref.ref(listener)
    with listen(listener):
        table.add("key", plan()).launch(1)
    del listener
    assert heard == [(1,)]
    assert watch() is None
    assert gc.isenabled() is False
