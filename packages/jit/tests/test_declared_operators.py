"""Declared operators can be saved and exported: none is missing, and new ones need no other source."""

import subprocess
import sys
from ctypes import CFUNCTYPE, POINTER, c_float, c_int64
from importlib import import_module
from pkgutil import walk_packages

import pytest
from jit_files import changed
from jit_toys import called, same, saved

import facula_tensor as ft
from facula_cpu.extend import is_loop, planners
from facula_errors.testing import raises
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
#: The shapes of results depend on data, or recordings contain the results as constants.
NEVER_RECORDED = {"nonzero", "nonzero_flat", "range"}
KERNELS = {*planners, "fill", "pow_number", *[op.kernel for op in operators.values() if is_loop(op.kernel)]}


def test_every_kernel_has_a_contract():
    """Rows exist only for existing kernels outside of families."""
    assert {name for name in KERNELS if contract_of(name) is None} == NEVER_RECORDED
    assert ROWS.keys() <= KERNELS
    irregular = {"flip", "log_softmax", "softmax"}  # dimensions in any order, or negative
    assert {name for name in ROWS if contract_from(name)} == irregular


def test_every_kernel_has_a_converter_or_a_reason():
    assert not KERNELS - converters.keys() - BY_OPERATOR.keys()
    assert not converters.keys() & BY_OPERATOR.keys()
    assert not (converters.keys() | BY_OPERATOR.keys()) - KERNELS - operators.keys()


def test_contracts_import_modules_on_demand():
    """A file may name operators from modules that the program has not imported."""
    names = sorted(KERNELS - NEVER_RECORDED)
    code = f"from facula_jit._files.contracts import contract_of; print(all(map(contract_of, {names})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stdout + done.stderr


@pytest.fixture
def declared():
    """Unregister operators that are declared inside."""
    tables = operators, planners
    before = [dict(entry) for entry in tables]
    yield
    for table, had in zip(tables, before, strict=True):
        for name in table.keys() - had.keys():
            del table[name]
            for method in {name, f"{name}_"}.intersection(vars(ft.Tensor)):
                delattr(ft.Tensor, method)


@pytest.fixture
def halved(declared):
    """An operator with a loop defined by a program."""

    @CFUNCTYPE(None, c_int64, POINTER(c_int64), POINTER(c_int64))
    def loop(count, address, step):
        for place in range(count):
            x, y = [c_float.from_address(address[k] + place * step[k]) for k in (0, 1)]
            y.value = x.value / 2

    register_loop("halved", (ft.float32, ft.float32), loop)
    return elementwise(type("halved", (), {"__module__": __name__}))


def test_a_loop_declared_by_a_program(halved, tmp_path):
    """The file contains its name, and is refused if the operator is not declared."""
    x = ft.randn(3, 4)
    loaded = saved(called(lambda x: halved(x.t()) @ x, x), tmp_path)
    assert same(loaded(x), (x / 2).t() @ x)
    forgotten = operators.pop("halved")
    with raises(
        GraphFileError, ".../graph.facula", "'halved' is not permitted in", "import the module that declares it"
    ):
        load(tmp_path / "graph.facula")
    operators["halved"] = forgotten


def test_a_loop_without_an_onnx_node(halved):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    with raises(OnnxExporterError, "onnx.export", "halved: has no ONNX node here", "compute it with other"):
        export(halved, ft.ones(2))


def test_a_reduction_declared_by_a_package(declared, tmp_path):
    """The kernel receives the parameters that the declaration converts."""

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
        with raises(GraphFileError, ".../changed.facula", "largest_of_all"):
            load(path)
