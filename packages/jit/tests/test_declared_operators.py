"""What is declared can be saved and exported: no operator is forgotten, and new ones need no other source."""

import subprocess
import sys
from ctypes import CFUNCTYPE, POINTER, c_float, c_int64
from importlib import import_module
from pkgutil import walk_packages

import pytest
from jit_files import changed
from jit_toys import called, same, saved

import facula_tensor as ft
from facula_cpu._runtime.planners import planners
from facula_cpu._runtime.registry import is_loop
from facula_jit import GraphFileError, load
from facula_jit._files.contracts import ROWS, contract_of
from facula_jit._files.contracts.declared import contract_from
from facula_jit.onnx import OnnxExporterError, export
from facula_jit.onnx._conversion import converters
from facula_jit.onnx._converters.refusals import BY_OPERATOR
from facula_storage import contiguous
from facula_tensor.extend import operator, operators
from facula_tensor.library import elementwise, register_loop

for module in walk_packages(ft.__path__, "facula_tensor."):
    if not module.name.startswith("facula_tensor._forms") and not module.name.endswith("_stubs"):
        import_module(module.name)
KERNELS = {*planners, "fill", "pow_number", *[one.kernel for one in operators.values() if is_loop(one.kernel)]}


def test_every_kernel_has_a_contract():
    """But those whose results' shapes depend on data. Rows are of kernels that there are, and of no family."""
    assert {name for name in KERNELS if contract_of(name) is None} == {"nonzero", "nonzero_flat"}
    assert ROWS.keys() <= KERNELS
    irregular = {"flip", "log_softmax", "softmax"}  # dimensions in any order, or from the end
    assert {name for name in ROWS if contract_from(name)} == irregular


def test_every_kernel_has_a_converter_or_a_reason():
    assert not KERNELS - converters.keys() - BY_OPERATOR.keys()
    assert not converters.keys() & BY_OPERATOR.keys()
    assert not (converters.keys() | BY_OPERATOR.keys()) - KERNELS - operators.keys()


def test_contracts_of_what_was_not_needed_yet():
    """A file may name operators whose modules no program imported."""
    names = sorted(KERNELS - {"nonzero", "nonzero_flat"})
    code = f"from facula_jit._files.contracts import contract_of; print(all(map(contract_of, {names})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stdout + done.stderr


@pytest.fixture
def declared():
    """Operators that are declared inside are forgotten afterwards."""
    tables = operators, planners
    before = [dict(one) for one in tables]
    yield
    for table, had in zip(tables, before, strict=True):
        for name in table.keys() - had.keys():
            del table[name]
            for method in {name, f"{name}_"}.intersection(vars(ft.Tensor)):
                delattr(ft.Tensor, method)


@pytest.fixture
def halved(declared):
    """An operator with a loop of a program's own."""

    @CFUNCTYPE(None, c_int64, POINTER(c_int64), POINTER(c_int64))
    def loop(count, address, step):
        for place in range(count):
            x, y = [c_float.from_address(address[k] + place * step[k]) for k in (0, 1)]
            y.value = x.value / 2

    register_loop("halved", (ft.float32, ft.float32), loop)
    return elementwise(type("halved", (), {"__module__": __name__}))


def test_a_loop_of_a_programs_own(halved, tmp_path):
    """The file holds its name, and is refused by it where nothing declares that."""
    x = ft.randn(3, 4)
    loaded = saved(called(lambda x: halved(x.t()) @ x, x), tmp_path)
    assert same(loaded(x), (x / 2).t() @ x)
    forgotten = operators.pop("halved")
    with pytest.raises(GraphFileError, match=r"'halved' is none of those .*; import what declares it first"):
        load(tmp_path / "graph.facula")
    operators["halved"] = forgotten


def test_a_loop_that_onnx_has_not(halved):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    with pytest.raises(OnnxExporterError, match="halved: has no ONNX node here; compute it with other"):
        export(halved, ft.ones(2))


def test_a_reduction_of_a_packages_own(declared, tmp_path):
    """What its declaration makes of the parameters is what its kernel is given."""

    @operator
    class _largest_of_all:
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            shape = [1 if k in dims else size for k, size in enumerate(layout.shape) if keepdim or k not in dims]
            return contiguous(tuple(shape), layout.dtype)

    planners["largest_of_all"] = lambda name, *asked: planners["amax"]("amax", *asked)
    x = ft.randn(3, 4)
    loaded = saved(called(lambda x: _largest_of_all(x, ((1,), True)), x), tmp_path)
    assert same(loaded(x), x.amax(1, True))
    for parameters in ([[2], True], [[1, 0], True], [[1], 1], [[1]], [1, True], [[0], True]):
        path = changed(
            tmp_path / "graph.facula", tmp_path, lambda graph: graph["plans"][0].update(parameters=parameters)
        )
        with pytest.raises(GraphFileError, match="largest_of_all"):
            load(path)
