"""A Ray cluster of this machine, for tests: small, and ended with its processes."""

import atexit
import os
import secrets
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec

import pytest

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install ray")
_PROGRAM = """
import sys, ray
ray.init(
    num_cpus=2, include_dashboard=False, object_store_memory=100_000_000, logging_level="ERROR",
    log_to_driver=False,
)
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
"""


@cache
def variables():
    """Start a cluster once, and return the environment variables of its clients. It ends with this process."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, **token},
    )  # fmt: skip

    @atexit.register
    def end():
        process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            pass
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    found = process.stdout.readline().decode().strip()
    assert found, "the Ray cluster did not start"
    return {"RAY_ADDRESS": found, **token}
