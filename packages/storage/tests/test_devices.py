"""Devices and the lookup of backends."""

import copy
import pickle
import sys

import pytest

import facula_storage
from facula_errors.testing import raises
from facula_storage import Device, contiguous, cpu, float32, layout_of, meta
from facula_storage.extend import HostMemory, allocate, register_backend

DISTRIBUTION = {
    "{name}_backend.py": "{code}",
    "facula_{name}_test-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: facula-{name}-test\nVersion: 1.0\n",
    "facula_{name}_test-1.0.dist-info/entry_points.txt": "[facula.backends]\n{name} = {name}_backend:make\n",
}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution with one module and one entry point on sys.path, like pip."""

    def install(name, code):
        for path, text in DISTRIBUTION.items():
            file = tmp_path / path.format(name=name)
            file.parent.mkdir(exist_ok=True)
            file.write_text(text.replace("{name}", name).replace("{code}", code))
        monkeypatch.syspath_prepend(str(tmp_path))

    return install


def test_one_object_per_device():
    assert Device("cpu") is Device("cpu:0") is Device(cpu) is cpu
    assert Device("cuda", 1) is Device("cuda:1") is not Device("cuda:0")
    assert Device("meta") is meta
    for device in (cpu, Device("cuda:1"), Device("cuda")):
        assert copy.copy(device) is copy.deepcopy(device) is pickle.loads(pickle.dumps(device)) is device
        assert Device(str(device)) is device


def test_each_device_has_its_slot():
    devices = [Device("xpu", i) for i in range(5)]
    assert len({device.slot for device in [*devices, cpu, meta]}) == 7


def test_names():
    assert (str(Device("cuda:3")), repr(Device("cuda:3"))) == ("cuda:3", "device(type='cuda', index=3)")
    assert repr(cpu) == "device(type='cpu')"


@pytest.mark.parametrize("name", ["", ":0", "cuda:", "cuda:x", "cuda:-1", "cuda:1:2", "not a name", "cuda:١"])
def test_malformed_names(name):
    with raises(ValueError, "device"):
        Device(name)


@pytest.mark.parametrize("arguments", [(3,), (None,), ("cuda", "1"), ("cuda", 1.0), (cpu, 1)])
def test_wrong_types(arguments):
    with raises(TypeError, "device"):
        Device(*arguments)


def test_index_twice():
    with raises(ValueError, "device", "index 1"):
        Device("cuda:0", 1)


def test_a_known_device_without_a_backend_lists_the_available_ones():
    """The error names no package: anybody could publish one under an unused name."""
    device, says = Device("xla:2"), "'xla:2' ... there are ... cpu ... published none for 'xla' yet."
    with raises(RuntimeError, "device 'xla:2'", says):
        device.backend
    with raises(RuntimeError, "device 'xla:2'", says):
        contiguous((2,), float32, device)


def test_an_own_backend_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **selected: [])  # facula-cuda may be installed
    with raises(RuntimeError, "device 'cuda:1'", "no backend for 'cuda' is installed", "pip install ./packages/cuda"):
        Device("cuda:1").backend


def test_an_unknown_device_is_rejected_at_once():
    with raises(
        RuntimeError, "device 'gpu:2'", "'gpu' is not a known type of device", "known are", "cpu, cuda", "meta"
    ):
        Device("gpu:2")
    register_backend("gpu_test", lambda index: HostMemory())
    assert Device("gpu_test:2").index == 2


def test_an_installed_distribution_is_found(install):
    install("found", "from facula_storage.extend import HostMemory\ndef make(index):\n"
                     "    memory = HostMemory()\n    memory.index = index\n    return memory\n")  # fmt: skip
    backend = Device("found:3").backend
    assert (backend.index, Device("found:3").backend) == (3, backend)
    assert Device("found:4").backend is not backend
    assert sys.modules["found_backend"].make(0).index == 0
    layout = contiguous((2,), float32, Device("found:3"))
    assert allocate(layout).ptr
    assert backend.allocator.statistics()["allocated_blocks"] == 0  # the storage has been freed


def test_loading_holds_no_lock(install):
    """A module may, while being imported, wait for another thread that registers a backend."""
    install(
        "waits",
        "import threading\n"
        "from facula_storage.extend import HostMemory, register_backend\n"
        "thread = threading.Thread(target=register_backend, args=('while_waiting', HostMemory), daemon=True)\n"
        "thread.start()\n"
        "thread.join(600)\n"
        "assert not thread.is_alive(), 'register_backend waits for an import'\n"
        "def make(index):\n    return HostMemory()\n",
    )
    assert isinstance(Device("waits").backend, HostMemory)


def test_errors_of_an_entry_point_propagate(install):
    install("broken", "raise ImportError('libbroken.so is missing')")
    with pytest.raises(ImportError, match=r"libbroken\.so"):
        Device("broken").backend


class Indexed(HostMemory):
    """The backend of one device of a type with several."""

    current = 0

    def current_index(self):
        return Indexed.current

    def set_index(self, index):
        Indexed.current = index


@pytest.fixture
def indexed():
    """A device type with two devices, of which the first is the current one."""
    backends = [Indexed(), Indexed()]
    register_backend("indexed_test", lambda index: backends[Indexed.current if index is None else index])
    Indexed.current = 0
    return backends


def test_layouts_have_devices_with_an_index(indexed):
    anywhere, first, second = (Device(name) for name in ("indexed_test", "indexed_test:0", "indexed_test:1"))
    assert anywhere.index is None and anywhere is not first
    for current, device in ((0, first), (1, second), (0, first)):
        Indexed.current = current
        assert anywhere.resolved is device and anywhere.backend is device.backend is indexed[current]
        for make in (contiguous, lambda *given: layout_of((2,), (1,), *given[1:])):
            layout = make((2,), float32, anywhere)
            assert layout is make((2,), float32, device) and layout.device is device
        assert contiguous((2, current + 3), float32, anywhere).transposed().device is device
    assert second.resolved is second and str(anywhere) == "indexed_test"
    assert contiguous((2,), float32, first) is not contiguous((2,), float32, second)


def test_devices_without_indices_are_resolved():
    register_backend("single_test", lambda index: HostMemory())
    for device in (cpu, meta, Device("single_test")):
        assert device.resolved is device and contiguous((2,), float32, device).device is device
    with raises(RuntimeError, "device 'xla'", "published none for 'xla' yet."):
        Device("xla").resolved


def test_a_failed_factory_is_called_again():
    answers = [RuntimeError("no driver"), HostMemory()]

    def factory(index):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    register_backend("driver_test", factory)
    with pytest.raises(RuntimeError, match="no driver"):
        Device("driver_test").backend
    assert isinstance(Device("driver_test").backend, HostMemory)


def test_a_later_registration_wins():
    register_backend("again_test", lambda index: HostMemory())
    first = Device("again_test").backend
    register_backend("again_test", lambda index: HostMemory())
    assert Device("again_test").backend is not first


def test_many_devices_leave_the_plan_table_in_bounds():
    """Layouts of devices after the eighth have their own plans; none uses another device's place."""
    codes = set()
    for i in range(12):
        register_backend(f"many{i}_test", lambda index: HostMemory())
        layout = contiguous((2,), float32, Device(f"many{i}_test"))
        assert layout.is_contiguous
        assert 0 <= layout.dense < facula_storage._plans.PlanTable.DENSE
        codes.add(layout.dense)
    assert 0 in codes
    assert contiguous((2,), float32).dense not in codes
