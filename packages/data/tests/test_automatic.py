"""Loaders that choose the fastest kind of workers."""

import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from facula_data import ConcatDataset, DataLoader, Subset, TensorDataset, transforms
from facula_data._loading.automatic import Choice
from facula_data._quick_methods import is_thread_safe

pytest.importorskip("facula_multiprocessing")

from worker_helpers import Rows, Stream, fail, listed


class Slow(Rows):
    """Rows that take a millisecond each; `thread_safe` if threads may read them at once."""

    def __init__(self, thread_safe, seconds):
        super().__init__(120, 4)
        self.thread_safe, self.seconds = thread_safe, seconds

    def __getitem__(self, index):
        if self.seconds is not None:
            time.sleep(self.seconds)
        return super().__getitem__(index)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(
    ("thread_safe", "waits", "chosen"),
    [
        (True, {"inline": 0.006, "thread": 0.003, "process": 0.0028}, "thread"),  # a gain of one tenth is too small
        (True, {"inline": 0.006, "thread": 0.003, "process": 0.002}, "process"),
        (False, {"inline": 0.012, "process": 0.006}, "process"),
        (True, {"inline": 0.00001}, "inline"),  # a program that never waits needs no workers
    ],
)
def test_the_kind_with_the_shortest_measured_time_is_chosen(thread_safe, waits, chosen, persistent, monkeypatch):
    """The measured times are replaced by given ones, because those of a busy machine are random."""
    given_ = dict(batch_size=3, shuffle=True, seed=4)
    data = Slow(thread_safe, 0.001)
    measured, floor = Choice.measured, {"inline": 0.003, "thread": 0.0, "process": 0.0}

    def measure(choice, seen, between, start):
        kind = choice.kind
        assert len(seen) == len(between) > 0 and min(seen) >= floor[kind] and start >= 0 and min(between) > 0
        measured(choice, [waits[kind]] * len(seen), [0.001] * len(between), 0.0)

    monkeypatch.setattr(Choice, "measured", measure)
    how = dict(num_workers=2, worker_method="auto", multiprocessing_context="fork", persistent_workers=persistent)
    loader = DataLoader(data, meter=True, **how, **given_)
    plain = DataLoader(Rows(120, 4), **given_)
    for _ in range(2):
        assert [listed([batch]) for batch in loader] == [listed([one]) for one in plain]
    choice = loader.worker_choice
    assert choice.chosen == chosen
    assert {kind: round(seconds - 0.001, 9) for kind, seconds in choice.seconds.items()} == waits
    assert loader.report().epochs[-1].settings.kind == {"process": "processes", "thread": "threads"}.get(
        chosen, "inline"
    )


@given(cut=some.integers(0, 60))
def test_a_pass_resumes_elsewhere_during_the_choice_of_workers(cut):
    given_ = dict(batch_size=2, shuffle=True, seed=1)
    whole = [batch["index"].tolist() for batch in DataLoader(Rows(120, 4), **given_)]
    data = Slow(True, None)
    first = DataLoader(data, num_workers=2, worker_method="auto", multiprocessing_context="fork", **given_)
    seen = [batch["index"].tolist() for _, batch in zip(range(cut), first, strict=False)]
    again = DataLoader(Rows(120, 4), **given_)
    again.load_state_dict(first.state_dict())
    assert first.state_dict()["epoch"] or seen + [batch["index"].tolist() for batch in again] == whole


def test_errors_while_the_kind_of_workers_is_being_chosen():
    """Samples of a failed batch are skipped in any part of the trial, and all others delivered."""

    class Bad(Rows):
        def __getitem__(self, index):
            return super().__getitem__(index) if index % 7 else fail()

    data = Bad()
    loader = DataLoader(data, batch_size=2, num_workers=2, worker_method="auto", multiprocessing_context="fork")
    batches, seen, failed = iter(loader), [], 0
    while True:
        try:
            seen += next(batches)["index"].tolist()
        except ZeroDivisionError:
            failed += 1
            where = loader.state_dict()
        except StopIteration:
            break
    assert failed == 6
    assert seen == [i for i in range(40) if i // 2 not in {j // 2 for j in range(0, 40, 7)}]
    assert where["skipped"] == [[0, 2], [6, 8], [14, 16], [20, 22], [28, 30]]


def test_streams_and_unsendable_datasets_are_read_inline():
    loader = DataLoader(Stream(6), batch_size=3, num_workers=2, worker_method="auto")
    assert [batch.tolist() for batch in loader] == [[0, 1, 2], [3, 4, 5]]
    assert loader.worker_choice.chosen == "inline"

    class Local(Slow):
        pass

    loader = DataLoader(Local(False, 0.001), 2, num_workers=2, worker_method="auto", multiprocessing_context="spawn")
    with pytest.warns(UserWarning, match="leaves out kind 'process'"):
        assert len(list(loader)) == 60
    assert loader.worker_choice.chosen == "inline"


UNGUARDED = """
from facula_data import DataLoader

loader = DataLoader(range(40), 2, num_workers=2, worker_method="auto", multiprocessing_context="spawn")
print(sum(int(batch.sum()) for batch in loader), loader.worker_choice.chosen)
"""


def test_a_kind_that_cannot_start_is_excluded(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(UNGUARDED)
    said = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=600)
    assert said.stdout.split()[-2:] == ["780", "inline"] and "leaves out kind 'process'" in said.stderr


def test_inline_has_no_workers():
    loader = DataLoader(Rows(), 8, num_workers=2, worker_method="inline", prefetch_factor=3, persistent_workers=True)
    assert next(batch["index"].tolist() for batch in loader) == list(range(8)) and loader.num_workers == 0


def test_thread_safe_datasets():
    data = TensorDataset(np.arange(3))

    class Own(TensorDataset):
        def __getitem__(self, index):
            return super().__getitem__(index)

    class Said(Own):
        thread_safe = True

    assert is_thread_safe(data) and is_thread_safe(Subset(data, [1])) and is_thread_safe(ConcatDataset([data, data]))
    assert not is_thread_safe(Own(np.arange(3))) and not is_thread_safe(ConcatDataset([data, Own(np.arange(2))]))
    assert is_thread_safe(Said(np.arange(3))) and not is_thread_safe([1, 2])
    assert is_thread_safe(transforms.Compose([transforms.ToFloat()])) and not is_thread_safe(transforms.Compose([abs]))
