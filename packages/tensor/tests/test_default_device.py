"""The default device: device blocks, `set_default_device`, and the functions that use it."""

import asyncio
import inspect
import threading

import numpy as np
import pytest

import facula_tensor as ft
from facula_cpu import CpuBackend
from facula_errors import OperationError
from facula_errors.testing import raises
from facula_storage.extend import register_backend
from facula_tensor import device, fft, get_default_device, set_default_device, windowed
from facula_tensor._core import allocation, default_device
from facula_tensor.functional import layer_norm, linear

HERE = ft.ones(2)
ARRAY = np.ones(2)
MATRIX = ft.ones(2, 2)

FOLLOW = {
    "zeros": lambda: ft.zeros(2, 3), "zeros of a size": lambda: ft.zeros(size=(2,)), "ones": lambda: ft.ones((2,)),
    "empty": lambda: ft.empty(2, dtype=ft.int8), "full": lambda: ft.full((2,), 3), "tensor": lambda: ft.tensor([1, 2]),
    "tensor of floats": lambda: ft.tensor([[1.0]]), "tensor of a number": lambda: ft.tensor(2.5),
    "tensor of a tensor": lambda: ft.tensor(HERE), "tensor of an array": lambda: ft.tensor(ARRAY),
    "as_tensor": lambda: ft.as_tensor([1.0]), "as_tensor of a tensor": lambda: ft.as_tensor(HERE),
    "as_tensor of an array": lambda: ft.as_tensor(ARRAY), "asarray": lambda: ft.asarray(ARRAY),
    "scalar_tensor": lambda: ft.scalar_tensor(1.0), "arange": lambda: ft.arange(3), "eye": lambda: ft.eye(2),
    "linspace": lambda: ft.linspace(0, 1, 3), "logspace": lambda: ft.logspace(0, 1, 3), "rand": lambda: ft.rand(2),
    "randn": lambda: ft.randn(2), "randn by a generator": lambda: ft.randn(2, generator=ft.Generator()),
    "randint": lambda: ft.randint(3, (2,)), "randperm": lambda: ft.randperm(3),
    "device=None": lambda: ft.zeros(2, device=None),
    "empty_strided": lambda: ft.empty_strided((2,), (1,)), "empty_permuted": lambda: ft.empty_permuted((2, 3), (1, 0)),
    "tril_indices": lambda: ft.tril_indices(2, 2), "triu_indices": lambda: ft.triu_indices(2, 2),
    "normal": lambda: ft.normal(0.0, 1.0, (2,)), "range": lambda: ft.range(0, 2),
    "fftfreq": lambda: fft.fftfreq(3), "rfftfreq": lambda: fft.rfftfreq(3),
    "bartlett_window": lambda: windowed.bartlett_window(3), "blackman_window": lambda: windowed.blackman_window(3),
    "hamming_window": lambda: windowed.hamming_window(3), "hann_window": lambda: windowed.hann_window(3),
    "kaiser_window": lambda: windowed.kaiser_window(1, dtype=ft.float64), "Parameter": lambda: ft.Parameter(ft.ones(2)),
}  # fmt: skip
STAY = {
    "zeros_like": lambda: ft.zeros_like(HERE), "ones_like": lambda: ft.ones_like(HERE),
    "full_like": lambda: ft.full_like(HERE, 2), "empty_like": lambda: ft.empty_like(HERE),
    "rand_like": lambda: ft.rand_like(HERE), "randn_like": lambda: ft.randn_like(HERE),
    "randint_like": lambda: ft.randint_like(HERE, 3), "from_file": lambda: ft.from_file(__file__, size=2),
    "new_zeros": lambda: HERE.new_zeros(2),
    "new_ones": lambda: HERE.new_ones(2),
    "new_empty": lambda: HERE.new_empty(2), "new_full": lambda: HERE.new_full((2,), 1),
    "new_tensor": lambda: HERE.new_tensor([1]), "from_numpy": lambda: ft.from_numpy(ARRAY),
    "from_dlpack": lambda: ft.from_dlpack(ARRAY), "frombuffer": lambda: ft.frombuffer(bytearray(8), dtype=ft.float32),
    "Tensor of lengths": lambda: ft.Tensor(2), "Tensor of data": lambda: ft.Tensor([1.0]),
    "FloatTensor": lambda: ft.FloatTensor(2), "device='cpu'": lambda: ft.zeros(2, device="cpu"),
    "out": lambda: ft.zeros(2, out=ft.empty_like(HERE)), "a sum": lambda: HERE + 1,
    "a product": lambda: MATRIX @ MATRIX,
}  # fmt: skip


NO_FACTORIES = {"set_default_device"}


@pytest.fixture(autouse=True)
def cpu_again():
    yield
    set_default_device(None)
    assert get_default_device() is device("cpu")
    assert allocation._layouts is allocation._layouts_on_cpu
    assert default_device.default_device_cell == [device("cpu")] and not default_device.other_defaults


@pytest.mark.parametrize("name", FOLLOW)
def test_creation_uses_the_default_device(name):
    """The first call, and later ones, which use caches."""
    for _ in range(2):
        before = FOLLOW[name]()
        with device("meta"):
            for _ in range(2):
                made = FOLLOW[name]()
                assert made.device is device("meta") and made.dtype is before.dtype and made.shape == before.shape
        assert FOLLOW[name]().device is device("cpu")
    set_default_device("meta")
    assert FOLLOW[name]().device is device("meta")


@pytest.mark.parametrize("name", STAY)
def test_functions_of_tensors_and_shared_memory_ignore_the_default_device(name):
    for _ in range(2):
        with device("meta"):
            assert STAY[name]().device is device("cpu")


def test_every_function_that_takes_a_device_is_tested():
    public = [(name, getattr(module, name)) for module in (ft, fft, windowed) for name in module.__all__]
    functions = [(name, value) for name, value in public if callable(value) and not isinstance(value, type)]
    taking = {name for name, value in functions if "device" in inspect.signature(value).parameters}
    tested = {name.partition(" ")[0] for name in [*FOLLOW, *STAY]}
    assert len(taking) > 30 and taking - tested == NO_FACTORIES


def place():
    assert ft.zeros(2).device is ft.tensor([1.0]).device is ft.arange(3).device is get_default_device()
    return get_default_device().type


def test_blocks_nest():
    meta, cpu = device("meta"), device("cpu")
    with meta as entered:
        assert entered is meta and place() == "meta"
        with meta, cpu:
            assert place() == "cpu"
            with meta:
                assert place() == "meta"
            assert place() == "cpu"
        assert place() == "meta"
    assert place() == "cpu"


def test_blocks_take_precedence_over_the_lasting_default():
    set_default_device("meta")
    with device("cpu"):
        assert place() == "cpu"
    assert place() == "meta"
    set_default_device("cpu")
    assert place() == "cpu"


def test_exceptions_end_a_block():
    with pytest.raises(KeyError), device("meta"):
        raise KeyError
    assert place() == "cpu"


def test_decorated_functions():
    @device("meta")
    def function(value):
        return place(), value

    @device("meta")
    def steps():
        yield place()
        yield place()

    @device("meta")
    async def coroutine():
        return place()

    assert function(3) == ("meta", 3) and place() == "cpu"
    generator = steps()
    assert next(generator) == "meta"
    assert place() == "cpu"  # between two steps
    assert next(generator) == "meta"
    assert asyncio.run(coroutine()) == "meta"
    assert place() == "cpu"


class Indexed(CpuBackend):
    """The CPU as one of several devices, of which each thread has a current one."""

    of_thread = threading.local()

    def current_index(self):
        return getattr(self.of_thread, "index", 0)

    def set_index(self, index):
        self.of_thread.index = index


@pytest.fixture
def indexed():
    backends = [Indexed(), Indexed()]
    register_backend("indexed", lambda index: backends[backends[0].current_index() if index is None else index])


def test_tensors_have_devices_with_an_index(indexed):
    x = ft.ones(2, device="indexed")
    made = [
        x, x + 1, ft.ones_like(x), ft.tensor([1.0, 2.0], device="indexed"), ft.tensor(3, device=device("indexed")),
        ft.zeros(2).to("indexed"), ft.as_tensor(np.ones(2), device="indexed"), ft.arange(2, device="indexed"),
        ft.empty_strided((2,), (1,), device="indexed"), x.new_zeros(2), x.detach().clone(), x.data, x[:1],
    ]  # fmt: skip
    assert {str(y.device) for y in made} == {"indexed:0"}
    assert x.to("indexed") is x.to("indexed:0") is x
    assert ft.Generator("indexed").device is device("indexed:0")
    assert x.to("indexed:1").device is device("indexed:1") is not x.device
    with raises(RuntimeError, "add", "one device", value="'indexed:0' and 'indexed:1'"):
        x + x.to("indexed:1")


def test_blocks_do_not_change_the_current_index(indexed):
    def here():
        return str(ft.ones(2, device="indexed").device)

    def default():
        made = {str(y.device) for y in (ft.ones(2), ft.tensor([1, 2]), ft.as_tensor(3))}
        assert made == {str(get_default_device())}
        return made.pop()

    @device("indexed:1")
    def decorated():
        return here(), default()

    assert (here(), decorated(), here()) == ("indexed:0", ("indexed:0", "indexed:1"), "indexed:0")
    with device("indexed:1"):
        assert (here(), default()) == ("indexed:0", "indexed:1")
        with device("cpu"):
            assert (here(), default()) == ("indexed:0", "cpu")
        with device("indexed"):
            assert here() == default() == "indexed:0" and get_default_device() is device("indexed:0")
            device("indexed").backend.set_index(1)
            assert here() == default() == "indexed:1" and in_thread(here) == "indexed:0"
            device("indexed").backend.set_index(0)
        with pytest.raises(KeyError), device("indexed:0"):
            raise KeyError
        assert default() == "indexed:1"


def test_a_block_of_an_absent_device_changes_nothing(indexed):
    with raises(RuntimeError, "device 'xla:1'", "no backend"):
        device("xla:1")(place)()
    assert place() == "cpu"


def in_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_default_devices_are_local_to_threads():
    with device("meta"):
        assert in_thread(place) == "cpu"
    set_default_device("meta")
    assert in_thread(place) == "cpu"

    def other():
        set_default_device("meta")
        return place()

    set_default_device(None)
    assert in_thread(other) == "meta"
    assert place() == "cpu"


def test_threads_that_enter_and_leave_concurrently():
    wrong = []

    def work(kind):
        for _ in range(300):
            with device(kind):
                if ft.zeros(2).device.type != kind or ft.arange(4).device.type != kind:
                    wrong.append(kind)
            if ft.ones(2, 3).device.type != "cpu":
                wrong.append("outside")

    threads = [threading.Thread(target=work, args=(kind,)) for kind in ("meta", "cpu", "meta")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_default_devices_are_local_to_tasks():
    async def task(kind):
        with device(kind):
            await asyncio.sleep(0)
            found = place()
            await asyncio.sleep(0)
        return found

    async def both():
        return await asyncio.gather(task("meta"), task("cpu"), task("meta"))

    assert asyncio.run(both()) == ["meta", "cpu", "meta"]


def test_draws_on_meta_advance_no_generator():
    before = ft.get_rng_state()
    generator = ft.Generator()
    state = generator.get_state()
    with device("meta"):
        ft.randn(5)
        ft.rand(5, generator=generator)
        ft.empty(5).uniform_()
        ft.empty(5).normal_(generator=generator)
    assert ft.equal(ft.get_rng_state(), before) and ft.equal(generator.get_state(), state)


def test_other_devices_are_rejected():
    with raises(OperationError, "device 'xpu'", "no backend for 'xpu' is installed"), device("xpu"):
        pass
    with raises(OperationError, "device 'xpu:0'", "no backend for 'xpu' is installed"):
        set_default_device("xpu:0")


@pytest.mark.parametrize(
    ("make", "name"),
    [(lambda: device("meta"), "device 'meta'"), (ft.no_grad, "no_grad"), (ft.enable_grad, "enable_grad")],
)
def test_what_is_no_function_cannot_be_decorated(make, name):
    with raises(TypeError, name, "expected a function to decorate", value="3"):
        make()(3)


META = ft.ones(2, device="meta")
REFUSED = {
    "item": lambda: META[0].item(), "tolist": lambda: META.tolist(), "numpy": lambda: META.numpy(),
    "bool": lambda: bool(META[0]), "float": lambda: float(META[0]), "cpu": lambda: META.cpu(),
    "nonzero": lambda: META.nonzero(), "a mask": lambda: META[META > 0], "unique": lambda: META.unique(),
    "masked_select": lambda: META.masked_select(META > 0), "equal": lambda: ft.equal(META, META),
    "copy_": lambda: HERE.clone().copy_(META),
}  # fmt: skip
MIXED = {
    "add": lambda: META + HERE, "matmul": lambda: HERE @ META, "cat": lambda: ft.cat([META, HERE]),
    "stack": lambda: ft.stack([HERE, META]), "where": lambda: ft.where(META > 0, HERE, HERE),
    "mul_": lambda: HERE.clone().mul_(META),
    "gather": lambda: HERE.gather(0, ft.zeros(1, dtype=ft.int64, device="meta")),
    "linear": lambda: linear(HERE, META.reshape(1, 2)),
    "out": lambda: ft.add(HERE, HERE, out=META.clone()),
    "lerp": lambda: ft.lerp(META, HERE, 0.5), "masked_fill": lambda: META.masked_fill(HERE > 0, 0.0),
    "layer_norm": lambda: layer_norm(META, (2,), HERE, HERE),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_errors_name_reads_of_meta_tensors(name):
    with raises((RuntimeError, TypeError), {"a mask": "getitem"}.get(name, name), "meta"):
        REFUSED[name]()


@pytest.mark.parametrize("name", MIXED)
def test_errors_name_operands_of_two_devices(name):
    with raises((RuntimeError, ValueError), "add" if name == "out" else name, "'meta'", "'cpu'"):
        MIXED[name]()


def test_numbers_and_zero_dimensional_tensors_combine_with_meta_tensors():
    assert (META + 1).is_meta and (META * ft.tensor(2.0)).is_meta and (ft.tensor(2.0) - META).is_meta


def test_the_dtype_of_a_meta_tensor_is_shown():
    assert repr(META > 0) == "tensor(..., device='meta', size=(2,), dtype=facula.bool)"
    assert repr(META) == "tensor(..., device='meta', size=(2,))"
