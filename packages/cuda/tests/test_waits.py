"""Each record of an event, each wait and each `record_use` is needed: a test fails without it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import facula_cuda
from facula_cuda import Stream
from facula_cuda._planners.tables import Table
from facula_cuda.testing import pending

PACKAGE = Path(facula_cuda.__file__).parent
HERE = Path(__file__).parent
#: A statement that is one call of these functions, perhaps inside a check of its result.
CALL = re.compile(
    r"^ +(?:[\w.]*check\([^()]*, )?[\w.]*\b(?:wait|record_use|wait_event|record_event|wait_for_\w+|synchronize|"
    r"cuStreamWaitEvent|cuEventRecord|cu\w+Synchronize)\(.*\)(?:  #.*)?$"
    r'|^ +self\._call\("(?:cuStreamWaitEvent|cuEventRecord|cu\w+Synchronize)".*\)$'
)
#: For each file its statements in order, each with a test that fails without it.
WAITS = {
    "_backend/backend.py": (
        ("self.wait(plan.operator)", "test_backend.py::test_planners_precede_the_fallback"),
        ('self.wait("copy_in")', "test_backend.py::test_a_source_may_change_after_copy_in"),
        ('self.wait("copy_out")', "test_backend.py::test_waits_are_counted"),
        ('self.wait("copy")', "test_backend.py::test_copies_between_host_and_device"),
        ('self.wait("copy")', "test_backend.py::test_copies_between_host_and_device"),
        ("transfers.wait_for_event(theirs, ready)", "test_backend.py::test_copies_between_devices"),
        ("transfers.wait_for_event(mine, done)", "test_backend.py::test_copies_between_devices"),
        ("transfers.record_event(made[0], stream)", "test_backend.py::test_copies_between_devices"),
        ("transfers.wait_for_device()", "test_backend.py::test_copies_between_host_and_device"),
        ("transfers.wait_for_event(0 if", "test_backend.py::test_streams_of_other_libraries_are_ordered"),
        ("block.record_use(handle)", "test_backend.py::test_memory_used_on_another_stream_is_released_later"),
        ("record_use(block, self.stream)", "test_backend.py::test_pinned_memory_is_not_reused_while_a_copy_reads_it"),
        ("transfers.wait_for_stream(stream)", "test_backend.py::test_a_source_may_change_after_copy_in"),
    ),
    "_backend/fallback.py": (
        ("backend.wait(operator)", "test_backend.py::test_waits_are_counted"),
        ("backend.wait(operator)", "test_fallback.py::test_a_run_waits_for_its_results_if_launches_block"),
    ),
    "_planners/reports.py": (("wait_for_device()", "test_reports.py::test_more_launches_than_records"),),
    "_planners/tables.py": (
        ("wait_for_stream(stream)", "test_waits.py::test_all_streams_may_read_a_new_table"),
        ("record_use(lib.facula_cuda_stream_of", "test_waits.py::test_a_table_is_kept_for_the_stream_that_drops_it"),
    ),
    "_port/devices.py": (
        ("cuCtxSynchronize()", "test_streams.py::test_synchronizing_a_device_waits_for_its_streams_alone"),
    ),
    "_port/events.py": (
        ("cuEventRecord(self.handle, stream.handle)", "test_backend.py::test_work_runs_on_the_current_stream"),
        ("cuStreamWaitEvent(stream.handle, self.handle, 0)", "test_backend.py::test_work_runs_on_the_current_stream"),
        ("cuEventSynchronize(self.handle)", "test_streams.py::test_an_event_is_recorded_on_the_current_stream"),
    ),
    "_port/graphs.py": (
        ("cuStreamSynchronize(handle)", "test_graphs.py::test_a_dropped_graph_waits_for_its_replays"),
        ("synchronize()", "test_graphs.py::test_a_capture_begins_after_one_wait_for_all_work"),
    ),
    "_port/pinned.py": (
        ("record_use(stream or", "test_backend.py::test_pinned_memory_is_not_reused_while_a_copy_reads_it"),
    ),
    "_port/runtime.py": (
        ("cuCtxSynchronize", "test_runtime.py::test_events"),
        ("cuEventRecord", "test_runtime.py::test_events"),
        ("cuStreamWaitEvent", "test_simulated_allocator.py::test_contents_last_as_long_as_their_readers"),
    ),
    "_port/streams.py": (
        ("cuStreamSynchronize(self.handle)", "test_streams.py::test_work_on_a_stream_is_waited_for"),
        ("event.wait(self)", "test_streams.py::test_a_stream_waits_for_a_stream"),
        ("self.wait_event(stream.record_event())", "test_streams.py::test_a_stream_waits_for_a_stream"),
    ),
}


def statements(text):
    """Return the numbers of the lines with such a statement."""
    return [number for number, line in enumerate(text.splitlines()) if CALL.match(line)]


def test_the_list_of_waits_is_complete():
    """After a change: name a test that fails without the new statement, or remove the row of one that is gone."""
    for path in PACKAGE.rglob("*.py"):
        file = path.relative_to(PACKAGE).as_posix()
        if not file.startswith(("check/", "testing/")):
            text, known = path.read_text(), [part for part, _ in WAITS.get(file, ())]
            found = [text.splitlines()[number].strip() for number in statements(text)]
            assert len(found) == len(known) and all(map(str.__contains__, found, known)), (file, found)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("file", "place", "test"),
    [(file, place, test) for file, rows in WAITS.items() for place, (_, test) in enumerate(rows)],
)
def test_a_missing_wait_shows(file, place, test, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "facula_cuda", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "facula_cuda" / file
    lines = path.read_text().splitlines()
    number = statements(path.read_text())[place]
    lines[number] = re.sub(r"\S.*", "pass", lines[number], count=1)
    path.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", HERE, HERE / test]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]


def test_all_streams_may_read_a_new_table(backend):
    table = Table(0, [np.arange(4), np.arange(3)])
    assert len(table.addresses) == 2 and pending() == 0


def test_a_table_is_kept_for_the_stream_that_drops_it(backend):
    def blocks(kind):
        return backend.allocator.allocator.memory_stats()[f"{kind}.all.current"]

    table, before = Table(0, [np.arange(4)]), blocks("active")
    with Stream():
        del table
    assert blocks("active") == before == blocks("allocation") + 1
