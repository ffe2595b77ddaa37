"""Tensors under FACULA_HOST_LIMIT: the error message, and how a program continues after it."""

import os
import subprocess
import sys

PROGRAM = """
import gc
import facula
from facula_allocator import retry_after_oom, smaller_batches

gc.disable()
made = []
def step(batch):
    made.append(len(batch))
    hidden = (batch[:, None] + facula.zeros(1 << 17)).exp()
    return hidden.sum().item()

total = sum(smaller_batches(step, facula.zeros(64)))
assert total == 64 * (1 << 17), total
assert made == [64, 32, 32], made
try:
    facula.zeros(1 << 26)
except facula.errors.OutOfMemoryError as error:
    text = str(error)
assert text.startswith("out of memory: 256 MiB of host memory requested by zeros for float32 (67108864,); "), text
assert text.endswith("limit 64 MiB. Ask for less at once, or raise the limit (FACULA_HOST_LIMIT)"), text

calls = []
def step():
    calls.append(1)
    mine = facula.zeros(10 << 20)  # 40 MiB
    if len(calls) == 1:
        mine + mine
    return mine.sum().item()
assert retry_after_oom(step) == 0 and len(calls) == 2
"""


def test_tensors_on_the_cpu_under_a_limit():
    environment = {**os.environ, "FACULA_HOST_LIMIT": "64MiB", "FACULA_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
