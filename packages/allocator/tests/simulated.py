"""Shared helpers of the caching allocator's tests."""

from facula_allocator.drivers import CudaDriver, FakeRuntime

MIB = 1 << 20


def current(allocator, name):
    return allocator.memory_stats()[f"{name}.all.current"]


class FakeCudaDriver(CudaDriver):
    """The CUDA driver with the test controls of the simulated device below: `launch`, `complete`, `fail_next`."""

    def __getattr__(self, name):
        return getattr(self.runtime.device(self.device), name)


def on_fake_runtime(capacity, page_size=0):
    """Return the CUDA driver on a fake runtime with one device."""
    return FakeCudaDriver(0, FakeRuntime(1, capacity, page_size))
