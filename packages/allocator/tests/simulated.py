"""What the tests of the caching allocator share."""

from facula_allocator.drivers import CudaDriver, FakeRuntime

MIB = 1 << 20


def current(allocator, name):
    return allocator.memory_stats()[f"{name}.all.current"]


class FakeCudaDriver(CudaDriver):
    """The driver for CUDA, with what a test does to the simulated device below: `launch`, `complete`, `fail_next`."""

    def __getattr__(self, name):
        return getattr(self.runtime.device(self.device), name)


def on_fake_runtime(capacity, page_size=0):
    """The driver for CUDA on a fake runtime of one device."""
    return FakeCudaDriver(0, FakeRuntime(1, capacity, page_size))
