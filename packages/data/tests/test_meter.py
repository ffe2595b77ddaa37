"""The meter: artificial figures for each bottleneck, and the resulting reports."""

import json
import sys

import numpy as np
import pytest

from facula_data import LoaderReport, Meter
from facula_data._meter.meter import INITIAL_CAPACITY, Columns
from facula_errors import FaculaError
from facula_errors.testing import raises


class Clock:
    """A clock that advances on request."""

    def __init__(self):
        self.now = 5_000_000_000

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += round(seconds * 1e9)


def run(meter, batches=20, wait=0.0, program=0.0, busy=0.0, collate=0.0, first=None, nbytes=1 << 20, shares=None):
    """Simulate one epoch: numbers, or functions of the batch's number, in seconds."""
    of = lambda value, i: value(i) if callable(value) else value
    workers = max(1, meter.settings.workers)
    clock = meter._clock
    for i in range(batches):
        waited = first if first is not None and i == 0 else of(wait, i)
        clock.pass_by(waited)
        meter.waited(waited)
        meter.worker(shares(i) if shares else i % workers, of(busy, i), of(collate, i))
        meter.delivered(32, nbytes)
        clock.pass_by(of(program, i))
    meter.epoch_ended()
    return meter.report().epochs[-1]


def metered(workers=0, kind=None, prefetch_factor=2, processors=8):
    meter = Meter(workers, kind, prefetch_factor, Clock())
    object.__setattr__(meter.settings, "processors", processors)
    return meter


def test_the_figures():
    meter = metered(2)
    epoch = run(meter, batches=10, wait=0.1, program=0.3, busy=0.2, collate=0.05, nbytes=1000)
    assert (epoch.epoch, epoch.ended, epoch.batches, epoch.samples, epoch.nbytes) == (0, True, 10, 320, 10_000)
    assert epoch.waited == pytest.approx(1.0)
    assert epoch.first_wait == pytest.approx(0.1)
    assert epoch.program == pytest.approx(3.0)  # including the time after the last batch
    assert epoch.seconds == pytest.approx(4.0)
    assert epoch.waiting == pytest.approx(0.25)
    assert epoch.busy == pytest.approx((1.0, 1.0))
    assert epoch.collate == pytest.approx((0.25, 0.25))
    assert epoch.workers_busy == pytest.approx(0.25)
    assert epoch.collating == pytest.approx(0.25)
    assert (epoch.batch_seconds, epoch.batch_deviation) == (pytest.approx(0.2), pytest.approx(0.0, abs=1e-9))


CASES = {
    "program": (
        {"workers": 4},
        {"wait": 0.001, "program": 0.1, "busy": 0.05},
        "The program is the bottleneck: it waited for 1% of the time",
        "num_workers=1 would do",
    ),
    "start": (
        {"workers": 2},
        {"first": 8.0, "wait": 0.001, "program": 0.1, "busy": 0.1},
        "the first batch took 8 of the 8 seconds of waiting",
        "persistent_workers=True",
    ),
    "reading": (
        {"workers": 2},
        {"wait": 0.3, "program": 0.1, "busy": 0.8, "collate": 0.1},
        "the 2 workers were busy for 100% of the time, and the program waited for 75% of it",
        "num_workers=8",
    ),
    "collation": (
        {"workers": 2},
        {"wait": 0.3, "program": 0.1, "busy": 0.8, "collate": 0.7},
        "Collation is the bottleneck: it took 88% of the time",
        "get_batch(indices)",
    ),
    "one worker": (
        {"workers": 3},
        {"wait": 0.3, "program": 0.1, "busy": lambda i: 0.9 if i % 3 == 1 else 0.05},
        "worker 1 was busy for 6.3 seconds",
        "parts of one size",
    ),
    "small batches": (
        {"workers": 2},
        {"wait": 0.002, "program": 0.0001, "busy": 0.0001},
        "a worker makes one of 32 samples in 100 microseconds",
        "a larger batch_size",
    ),
    "uneven batches": (
        {"workers": 4},
        {"wait": 0.2, "program": 0.2, "busy": lambda i: 4.0 if i == 7 else 0.05},
        "some batches took far longer than the mean",
        "prefetch_factor=4",
    ),
    "transfer": (
        {"workers": 4},
        {"wait": 0.3, "program": 0.1, "busy": 0.2, "nbytes": 200 << 20},
        "for batches of 200 MiB",
        "workers as threads",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_bottleneck_is_named(name):
    settings, figures, sentence, suggestion = CASES[name]
    meter = metered(**settings)
    epoch = run(meter, **figures)
    assert epoch.bottleneck == name
    assert sentence in epoch.sentence
    assert suggestion in epoch.suggestions[0]
    text = str(meter.report())
    assert epoch.sentence in text
    assert f"Try: {epoch.suggestions[0]}" in text
    assert name in text.splitlines()[1]


def test_without_workers():
    reading = run(metered(), wait=0.3, program=0.1, busy=0.3)
    assert (reading.bottleneck, reading.suggestions[0]) == (
        "reading",
        "num_workers=3, so that batches are made while the program computes",
    )
    assert "in the program's process, which waited for 75% of the time" in reading.sentence
    alone = run(metered(processors=1), wait=0.3, program=0.1, busy=0.3)
    assert "num_workers" in alone.suggestions[0]
    collation = run(metered(), wait=0.3, program=0.1, busy=0.3, collate=0.2)
    assert collation.bottleneck == "collation"
    program = run(metered(), wait=0.001, program=0.1, busy=0.001)
    assert (program.bottleneck, program.suggestions) == ("program", [])


def test_suggestions_are_limited_by_processors():
    epoch = run(metered(4, processors=4), wait=0.3, program=0.1, busy=1.6)
    assert epoch.bottleneck == "reading"
    assert not any("num_workers" in one for one in epoch.suggestions)


def test_threads_are_not_suggested_for_threads():
    epoch = run(metered(4, "threads"), wait=0.3, program=0.1, busy=0.2)
    assert epoch.bottleneck == "transfer"
    assert epoch.suggestions[0] == "prefetch_factor=4"


def test_epochs_follow_each_other():
    meter = metered(1)
    assert str(meter.report()) == "no batches yet"
    run(meter, wait=0.3, program=0.1, busy=0.3)
    run(meter, wait=0.0, program=0.1, busy=0.01)
    meter.epoch_ended()  # an epoch without batches is not reported
    meter.waited(0.1)
    meter.delivered(32, 100)
    report = meter.report()
    assert [(one.epoch, one.ended, one.bottleneck, one.batches) for one in report.epochs] == [
        (0, True, "reading", 20),
        (1, True, "program", 20),
        (2, False, "start", 1),
    ]
    assert str(report).splitlines()[3].endswith("start (under way)")
    assert repr(report) == str(report)
    meter.reset()
    assert meter.report().epochs == ()


def test_many_batches():
    epoch = run(metered(2), batches=5 * INITIAL_CAPACITY + 1, wait=0.01, program=0.01, busy=0.01)
    assert epoch.batches == 5 * INITIAL_CAPACITY + 1
    assert epoch.waited == pytest.approx(0.01 * epoch.batches)
    rows = Columns("a", "b")
    for i in range(1000):
        rows.append(i, -i)
    np.testing.assert_array_equal(rows["b"], -np.arange(1000.0))
    rows.clear()
    assert not len(rows["a"])


def test_values_for_json():
    meter = metered(2)
    run(meter, wait=0.3, program=0.1, busy=0.8)
    found = json.loads(json.dumps(meter.report().to_dict()))
    assert found["epochs"][0]["bottleneck"] == "reading"
    assert found["epochs"][0]["settings"] == {"workers": 2, "kind": "processes", "prefetch_factor": 2, "processors": 8}
    assert found["epochs"][0]["waiting"] == pytest.approx(0.75)


class Axes:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args, **kwargs: self.calls.append((name, args, kwargs))


def test_a_plot():
    meter = metered(2)
    run(meter, batches=10, wait=0.3, program=0.1, busy=0.8)
    ax = Axes()
    assert meter.report().plot(ax) is ax
    (_, (_, waited), _), (_, (_, program), above) = [call for call in ax.calls if call[0] == "bar"]
    assert (waited, program) == ([pytest.approx(3.0)], [pytest.approx(1.0)])
    assert above["bottom"] == waited


def test_a_plot_by_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert len(LoaderReport(()).plot().patches) == 0


def test_a_plot_without_matplotlib(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with raises(ImportError, "LoaderReport.plot", "expected matplotlib, which is not installed") as caught:
        LoaderReport(()).plot()
    assert isinstance(caught.value, FaculaError)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: Meter(-1), ValueError, "Meter: expected workers to be an integer of at least 0"),
        (lambda: Meter(2, "inline"), ValueError, "Meter: expected kind 'inline' without workers"),
        (lambda: Meter(0, "threads"), ValueError, "Meter: expected kind 'inline' without workers"),
        (lambda: Meter(1, "fibres"), ValueError, "Meter: got 'fibres' with workers=1"),
        (lambda: Meter(1, prefetch_factor=0), ValueError, "Meter: expected prefetch_factor"),
        (lambda: Meter().waited(-1), ValueError, "waited: expected seconds of 0 or more; got seconds=-1"),
        (lambda: Meter().waited(float("nan")), ValueError, "waited: got seconds=nan"),
        (lambda: Meter().waited("long"), TypeError, "waited: expected seconds to be a number; got seconds='long'"),
        (lambda: Meter().worker(-1, 0, 0), ValueError, "worker: expected worker to be an integer of at least 0"),
        (lambda: Meter(2).worker(2, 0, 0), ValueError, "worker: expected worker to be below 2; got 2"),
        (lambda: Meter().worker(0, -1, 0), ValueError, "worker: busy_seconds=-1"),
    ],
)
def test_errors_say_what_is_wrong(call, error, said):
    with raises(error, said) as caught:
        call()
    assert isinstance(caught.value, FaculaError)
