"""The profiler names the bottleneck of programs that have an obvious one.

Peaks are given, not measured: verdicts then depend on the machine only as far as Python and kernels differ by orders of
magnitude.
"""

import time

import pytest

import facula
from facula.utils.data import DataLoader, Dataset
from facula_profiler import Kind, Peaks, ProfilerAction, profile

PEAKS = Peaks(100e9, 10e9)


def summary_of(run, **options):
    run()  # creates plans
    with profile(record_shapes=True, with_flops=True, **options) as recorded:
        run()
    return recorded.summary(PEAKS)


class SlowFiles(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        time.sleep(0.02)
        return facula.ones(8)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_slow_loader(workers):
    def run():
        for batch in DataLoader(SlowFiles(), batch_size=2, num_workers=workers):
            batch.sum()

    found = summary_of(run)
    assert found.bottleneck == "input" and "num_workers" in found.remedies[0]
    if workers:
        assert "1 loader worker made batches" in found.evidence[1]


def test_tiny_operators():
    x = facula.ones(4)

    def run():
        y = x
        for _ in range(200):
            y = y * 0.5 + x

    found = summary_of(run)
    assert found.bottleneck == "interpreter" and any("facula.capture" in one for one in found.remedies)


def test_a_large_product():
    a, b = facula.ones(900, 900), facula.ones(900, 900)
    found = summary_of(lambda: a @ b)
    assert found.bottleneck == "arithmetic"
    (row,) = [row for row in found.operators() if row.flops]
    assert row.flops == 2 * 900**3 and row.nbytes == 3 * 900 * 900 * 4


def test_a_convolution():
    layer, x = facula.nn.Conv2d(32, 32, 3, padding=1), facula.ones(4, 32, 64, 64)
    found = summary_of(lambda: layer(x))
    assert found.bottleneck == "arithmetic"
    (row,) = [row for row in found.operators(shapes=True) if "conv2d" in row.name]
    assert row.flops >= 2 * 4 * 64 * 64 * 32 * 32 * 9 and "[4, 32, 64, 64]" in row.detail


def test_large_elementwise_operators():
    x = facula.ones(8_000_000)
    found = summary_of(lambda: x + x)
    assert found.bottleneck == "memory"
    assert found.operators()[0].nbytes == 3 * 32_000_000


def test_modules_and_memory_of_a_training_step(tmp_path):
    model = facula.nn.Sequential(facula.nn.Linear(16, 32), facula.nn.ReLU(), facula.nn.Linear(32, 4))
    optimizer = facula.optim.Adam(model.parameters())
    x, y = facula.ones(8, 16), facula.zeros(8, dtype=facula.int64)

    def run():
        optimizer.zero_grad()
        facula.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    run()
    options = dict(record_shapes=True, with_stack=True, with_modules=True, profile_memory=True)
    with profile(schedule=lambda _: ProfilerAction.RECORD, **options) as recorded:
        for _ in range(3):
            run()
            recorded.step()
    found = recorded.summary(PEAKS)
    assert found.shares.steps == 3
    assert {"Sequential.0", "Sequential.1", "Sequential.2"} <= {row.name for row in found.modules()}
    assert any("test_bottlenecks.py" in row.name for row in found.lines())
    assert (recorded.trace.events["kind"] == Kind.BACKWARD).any()
    recorded.export_html(tmp_path / "page.html")
    assert "Sequential.1" in (tmp_path / "page.html").read_text()
    recorded.export_memory_timeline(tmp_path / "memory.json")
    assert (tmp_path / "memory.json").stat().st_size > 100
