"""Uses of the working names in `_places.txt` that no sibling package tests; each returns True on success."""

import collections.abc
import dataclasses
import io
import logging
import typing
from collections import namedtuple

import pytest

import facula


def raises(error, function, *args, **kwargs):
    with pytest.raises(error):
        function(*args, **kwargs)
    return True


def paths_lead(key_get):
    tree = {"a": [X, (2, None)], "b": Point(3, 4)}
    paths = facula.utils._pytree.tree_leaves_with_path(tree)
    return len(paths) == 5 and all(key_get(tree, path) is leaf for path, leaf in paths)


def data_classes(register_dataclass):
    tree, kind = facula.utils._pytree, dataclasses.make_dataclass("Pair", ["a", "b", ("c", int, 7)])
    register_dataclass(kind, drop_field_names=["c"])
    leaves, spec = tree.tree_flatten([kind(1, None, 3)])
    assert leaves == [1] and spec.unflatten([5]) == [kind(5, None, 7)]
    assert tree.tree_leaves_with_path(kind(1, 2))[1] == ((tree.GetAttrKey("b"),), 2)
    other = dataclasses.make_dataclass("Other", ["a"])
    return all(
        [
            raises(ValueError, register_dataclass, kind, drop_field_names=["c"]),
            raises(ValueError, register_dataclass, other, field_names=["a", "x"]),
            raises(TypeError, register_dataclass, int),
        ]
    )


def warned(function, *args, **kwargs):
    with pytest.warns(FutureWarning, match="has taken its place"):
        return function(*args, **kwargs)


def resizes(function, *args, **kwargs):
    """The result, after a warning; an error of the function that does the work names the called one."""
    with pytest.raises(ValueError, match=f"^{function.__name__}: expected size or scale_factor; got neither"):
        warned(function, args[0])
    return warned(function, *args, **kwargs)


CONSTRAINTS = facula.distributions.constraints
T, X = facula.tensor, facula.tensor([[1.0, 2.0], [3.0, 4.0]])
Point = namedtuple("Point", "x y")


def grads_by_option(wrap):
    class Own:
        defaults: typing.ClassVar = {"differentiable": False}

        @wrap
        def step(self):
            return facula.is_grad_enabled()

    return Own().step() is False


def printed(options):
    before = options.precision
    options.precision = 2
    try:
        return facula.get_printoptions()["precision"] == 2 and str(T([1.126])) == "tensor([1.13])"
    finally:
        options.precision = before


def plain_results(function):
    class Plain(facula.Tensor):
        __torch_function__ = function

    return type(facula.ones(2).as_subclass(Plain) + 1) is facula.Tensor


def without_overrides(block):
    class Own(facula.Tensor):
        pass

    with block():
        return type(facula.ones(2).as_subclass(Own) + 1) is facula.Tensor


def logged(function):
    records = []
    log, handler = logging.getLogger("facula.api_usage"), logging.Handler()
    handler.emit = records.append
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    function("test.event"), function("test.event")
    log.removeHandler(handler)
    return [record.getMessage() for record in records] == ["test.event"]


def overloads(mark):
    @mark
    def twice(x: int) -> int: ...

    first = twice

    def twice(x):
        return x + x

    return twice(2) == 4 and typing.get_overloads(first) == [first]


def reraised(kind):
    try:
        raise ValueError("inner")
    except ValueError:
        kept = kind(where="in a worker")
    with pytest.raises(ValueError, match=r"(?s)Caught ValueError in a worker\..*inner"):
        kept.reraise()
    return True


def real_views(function):
    params, grads = [T([1 + 2j])], [T([3 + 4j])]
    function(params, grads)
    return params[0].tolist() == [[1.0, 2.0]] and grads[0].tolist() == [[3.0, 4.0]]


def batched(function):
    seen = []
    facula.func.vmap(lambda x: (seen.append(function(x)), x)[1])(X)
    return seen == [True] and not function(X)


def in_transform(function):
    return facula.func.vmap(lambda x: x * (2 if function() else 1))(X).equal(2 * X) and not function()


def indexes_in_vmap(block):
    with block():
        return facula.func.vmap(lambda i: X[i])(T([1, 0])).tolist() == [[3.0, 4.0], [1.0, 2.0]]


def sobol(kind):
    pytest.importorskip("scipy")
    engine = kind(3)
    assert engine.draw(4).tolist() == [[0, 0, 0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]]
    assert engine.fast_forward(2).draw(1).tolist() == [[0.625, 0.125, 0.875]] and engine.num_generated == 7
    assert raises(ValueError, engine.draw_base2, 1) and engine.reset().draw_base2(1).shape == (2, 3)
    again = [kind(2, scramble=True, seed=1).draw(8).tolist() for _ in range(2)]
    return again[0] == again[1] and raises(ValueError, kind, 0)


def checks(error, *wrong):
    return lambda f: f(True) is None and raises(error, f, *(wrong or (False,))) and raises(TypeError, f, 1)


def sums(function):  # the sum of a window's elements: about half its length, from 0 or almost 0 to 1
    one = function(9, periodic=False)
    return one.argmax() == 4 and one[4] == 1 and one[0] < 0.1 and function(8)[:8].allclose(one[:8])


def same_as(path):
    return lambda value: value is eval(f"facula.{path}")


def drawn(f):
    return not warned(f, facula.full((4, 4), 9.0)).eq(9).all()


FALSE = [
    "_C._is_tracing", "_C._distributed_rpc._is_current_rpc_agent_set", "_C._functorch.is_legacy_batchedtensor",
    "_dynamo.eval_frame.is_dynamo_supported", "_dynamo.utils.is_compile_supported", "_subclasses.fake_tensor.is_fake",
    "_utils.is_compiling", "mtia.is_available",
    "utils._python_dispatch.is_traceable_wrapper_subclass",
]  # fmt: skip
TRUE = ["guard_or_false", "guard_or_true", "statically_known_true"]
USES = {
    **dict.fromkeys(FALSE, lambda f: f(X) is False),
    **{f"fx.experimental.symbolic_shapes.{name}": lambda f: f(3 > 2) is True and f(0) is False for name in TRUE},
    "torch": lambda f: f is facula,
    "autograd._profiler_enabled": lambda f: f() is False,
    "detach": lambda f: not f(T([1.0], requires_grad=True)).requires_grad,
    "cuda.nccl.is_available": lambda f: f([X]) is False,
    "nn.parallel.gather": lambda f: f([{"a": X}, {"a": X}], "cpu")["a"].equal(facula.cat([X, X])),
    "nn.parallel.scatter": lambda f: f({"a": 3}, [0, 1]) == ({"a": 3}, {"a": 3}),
    "nn.parallel.scatter_gather.gather": lambda f: f([(X, 2), (X, 2)], "cpu", 1)[0].equal(facula.cat([X, X], 1)),
    "nn.parallel.scatter_gather.scatter": lambda f: f([1, "a"], [0]) == ([1, "a"],),
    "nn.parallel.scatter_gather.scatter_kwargs": lambda f: f((1,), {"a": 2}, [0, 1]) == (((1,),) * 2, ({"a": 2},) * 2),
    "dsmm": lambda f: f(X, X).equal(X @ X),
    "spmm": lambda f: f(X, X).equal(X @ X),
    **{f"{name}_window": sums for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")},
    "stft": lambda f: f(facula.arange(16.0), 8, return_complex=True).shape == (5, 9),
    "istft": lambda f: f(facula.stft(facula.arange(16.0), 8, return_complex=True), 8)[5].item() == pytest.approx(5),
    "pca_lowrank": lambda f: f(X, q=1).V.abs().flatten().tolist() == pytest.approx([0.5**0.5] * 2),
    "svd_lowrank": lambda f: f(X, q=2).S.tolist() == pytest.approx(facula.linalg.svdvals(X).tolist()),
    "_assert": lambda f: f(True, "") is None and raises(AssertionError, f, False, "no"),
    "_assert_async": lambda f: f(T(1)) is None and raises(RuntimeError, f, T(0)) and raises(RuntimeError, f, X),
    "_check": checks(RuntimeError),
    "_check_index": checks(IndexError),
    "_check_value": checks(ValueError),
    "_check_type": checks(TypeError),
    "_check_not_implemented": checks(NotImplementedError),
    "_check_with": lambda f: f(OSError, True) is None and raises(OSError, f, OSError, False, lambda: "no"),
    "_check_is_size": lambda f: (
        f(3, max=3) is None and raises(RuntimeError, f, -1) and raises(RuntimeError, f, 4, max=3)
    ),
    "_check_tensor_all": lambda f: f(X > 0) is None and raises(RuntimeError, f, X > 1) and raises(TypeError, f, X),
    "_check_tensor_all_with": lambda f: f(OSError, X > 0) is None and raises(OSError, f, OSError, X > 1),
    "_convert_indices_from_coo_to_csr": lambda f: f(T([0, 0, 2]), 4, out_int32=True).equal(
        T([0, 2, 2, 3, 3], dtype=facula.int32)
    ),
    "_convert_indices_from_csr_to_coo": lambda f: f(T([0, 2, 2, 3]), T([5, 6, 7])).tolist() == [[0, 0, 2], [5, 6, 7]],
    "_shape_as_tensor": lambda f: f(facula.ones(2, 3)).tolist() == [2, 3],
    "kl_div": lambda f: f(X.log(), X, 2).item() == 0 and f(X, X, 0).shape == (2, 2),
    "get_device_module": lambda f: f() is f("cpu") is facula.cpu,
    "_softmax_backward_data": lambda f: f(X, X + 1, 0, X.dtype).equal((X + 1) * (X - (X * (X + 1)).sum(0))),
    "sym_ite": lambda f: f(True, 1, 2) == 1 and f(False, 1, 2) == 2,
    "sym_not": lambda f: f(False) is True,
    "sym_float": lambda f: type(f(2)) is float,
    "sym_int": lambda f: f(2.5) == 2,
    "sym_max": lambda f: f(2, 3) == 3,
    "sym_min": lambda f: f(2, 3) == 2,
    "sym_sum": lambda f: f([2, 3]) == 5,
    "_C.DisableTorchFunction": without_overrides,
    "_C.DisableTorchFunctionSubclass": without_overrides,
    "_C._are_functorch_transforms_active": in_transform,
    "_C._disabled_torch_function_impl": plain_results,
    "_C._get_default_device": lambda f: f() == "cpu",
    "_C._get_privateuse1_backend_name": lambda f: f() == "privateuseone",
    "_C._get_tracing_state": lambda f: f() is None,
    "_C._log_api_usage_once": logged,
    "_C._functorch.is_batchedtensor": batched,
    "_C._nn._parse_to": lambda f: (
        f("cpu", facula.float16, True) == (facula.device("cpu"), facula.float16, True, None)
        and f(X)[1] is facula.float32
        and f(dtype=facula.int8)[:2] == (None, facula.int8)
        and raises(TypeError, f, [])
        and raises(TypeError, f, place=1)
    ),
    "_inductor.cudagraph_mark_step_begin": same_as("compiler.cudagraph_mark_step_begin"),
    "_dynamo._trace_wrapped_higher_order_op.TransformGetItemToIndex": indexes_in_vmap,
    "_dynamo.eval_frame.OptimizedModule": same_as("_dynamo.OptimizedModule"),
    "_jit_internal._copy_to_script_wrapper": lambda f: f(raises) is raises,
    "_jit_internal.Final": lambda f: f is typing.Final,
    **{f"{place}._overload{kind}": overloads for place in ("_jit_internal", "jit") for kind in ("", "_method")},
    "_prims_common.is_contiguous_or_false": lambda f: f(X) and not f(X.T),
    "_tensor_str.PRINT_OPTS": printed,
    "_tensor_str._tensor_str": lambda f: f(X, 2) == "[[1., 2.],\n   [3., 4.]]",
    "_tensor_str._str": lambda f: f(X) == repr(X),
    **{f"_tensor_str.{name}": same_as(name) for name in ("get_printoptions", "printoptions", "set_printoptions")},
    "_utils.ExceptionWrapper": reraised,
    "_utils._element_size": lambda f: f(facula.float16) == 2,
    "_utils._flatten_dense_tensors": lambda f: f([X, T([5.0])]).tolist() == [1, 2, 3, 4, 5],
    "_utils._unflatten_dense_tensors": lambda f: f(facula.arange(5.0), [X, T([5.0])])[0].tolist() == [[0, 1], [2, 3]],
    "_utils._get_device_index": lambda f: (
        [f("cpu", allow_cpu=True), f(3), f("cuda:1"), f(facula.device("cuda", 2)), f("cuda", True), f(None, True)]
        == [-1, 3, 1, 2, None, None]
        and all(raises(ValueError, f, one) for one in ("cpu", "cuda", None))
    ),
    **{
        f"_utils._rebuild_tensor{end}": lambda f: f(X.storage(), 1, (2,), (2,), False, {}).tolist() == [2, 4]
        for end in ("", "_v2")
    },
    "_utils._rebuild_parameter": lambda f: f(X, False, {}).equal(X) and f(X, True).requires_grad,
    "_utils._import_dotted_name": lambda f: f("facula.nn.Linear") is facula.nn.Linear,
    "distributed.elastic.multiprocessing.errors.record": lambda f: f(raises) is raises,
    "distributed.constants.default_pg_timeout": lambda f: f.total_seconds() == 1800,
    **{
        f"distributions.constraints.{name}": lambda f, example=example: type(example) is f
        for name, example in {
            "_Boolean": CONSTRAINTS.boolean, "_Cat": CONSTRAINTS.cat([]), "_CorrCholesky": CONSTRAINTS.corr_cholesky,
            "_Dependent": CONSTRAINTS.dependent, "_DependentProperty": CONSTRAINTS.dependent_property(),
            "_GreaterThan": CONSTRAINTS.positive, "_GreaterThanEq": CONSTRAINTS.nonnegative,
            "_HalfOpenInterval": CONSTRAINTS.half_open_interval(0, 1),
            "_IndependentConstraint": CONSTRAINTS.real_vector, "_IntegerGreaterThan": CONSTRAINTS.positive_integer,
            "_IntegerInterval": CONSTRAINTS.integer_interval(0, 1),
            "_Interval": CONSTRAINTS.unit_interval, "_LessThan": CONSTRAINTS.less_than(0),
            "_LowerCholesky": CONSTRAINTS.lower_cholesky, "_LowerTriangular": CONSTRAINTS.lower_triangular,
            "_Multinomial": CONSTRAINTS.multinomial(1), "_OneHot": CONSTRAINTS.one_hot,
            "_PositiveDefinite": CONSTRAINTS.positive_definite, "_Real": CONSTRAINTS.real,
            "_PositiveSemidefinite": CONSTRAINTS.positive_semidefinite, "_Simplex": CONSTRAINTS.simplex,
            "_Square": CONSTRAINTS.square, "_Stack": CONSTRAINTS.stack([]), "_Symmetric": CONSTRAINTS.symmetric,
        }.items()
    },
    "distributions.constraints._IntegerLessThan": lambda f: f(2).check(T([2.0, 3.0])).tolist() == [True, False],
    "distributions.multivariate_normal.Distribution": same_as("distributions.Distribution"),
    "distributions.transforms._InverseTransform": lambda f: type(facula.distributions.ExpTransform().inv) is f,
    "distributions.utils._standard_normal": lambda f: f((2000,), facula.float64, "cpu").std().sub(1).abs() < 0.1,
    "distributions.utils._sum_rightmost": lambda f: f(facula.ones(2, 3, 4), 2).tolist() == [12, 12] and f(X, 0) is X,
    "fx.experimental.proxy_tensor.get_proxy_mode": lambda f: f() is None,
    "jit._script_if_tracing": same_as("jit.script_if_tracing"),
    **{
        f"jit.annotations.{name}": lambda f: f in vars(typing).values()
        for name in ("Any", "Dict", "List", "Optional", "Tuple", "Union")
    },
    "nn.functional.upsample": lambda f: resizes(f, facula.ones(1, 1, 2), scale_factor=2).shape == (1, 1, 4),
    "nn.functional.upsample_nearest": lambda f: resizes(f, X[None, None], 4)[0, 0, 0].tolist() == [1, 1, 2, 2],
    "nn.functional.upsample_bilinear": lambda f: resizes(f, X[None, None], 3)[0, 0, 0].tolist() == [1, 1.5, 2],
    "nn.init.constant": lambda f: warned(f, facula.empty(2), 3.0).tolist() == [3, 3],
    "nn.init.eye": lambda f: warned(f, facula.ones(2, 2)).equal(facula.eye(2)),
    "nn.init.dirac": lambda f: warned(f, facula.ones(1, 1, 3)).tolist() == [[[0, 1, 0]]],
    **{f"nn.init.{law}_{kind}": drawn for law in ("kaiming", "xavier") for kind in ("normal", "uniform")},
    "nn.init.normal": drawn,
    "nn.init.uniform": drawn,
    "nn.init.orthogonal": lambda f: (
        (lambda q: (q @ q.T).allclose(facula.eye(3), atol=1e-5))(warned(f, facula.ones(3, 3)))
    ),
    "nn.init.sparse": lambda f: (warned(f, facula.ones(4, 4), 0.5) == 0).sum() == 8,
    "nn.init._calculate_correct_fan": lambda f: [f(facula.ones(2, 3), one) for one in ("fan_in", "fan_out")] == [3, 2],
    "nn.init._no_grad_fill_": same_as("nn.init.constant_"),
    "nn.init._no_grad_normal_": same_as("nn.init.normal_"),
    "nn.init._no_grad_trunc_normal_": same_as("nn.init.trunc_normal_"),
    "nn.init._no_grad_uniform_": same_as("nn.init.uniform_"),
    "nn.init._no_grad_zero_": same_as("nn.init.zeros_"),
    "nn.modules.instancenorm._InstanceNorm": lambda f: issubclass(facula.nn.InstanceNorm2d, f),
    "nn.modules.module._EXTRA_STATE_KEY_SUFFIX": lambda f: f == "_extra_state",
    "nn.modules.module._IncompatibleKeys": lambda f: (
        type(facula.nn.Linear(1, 1).load_state_dict({}, strict=False)) is f and f(["a"], []).missing_keys == ["a"]
    ),
    "nn.modules.transformer._get_activation_fn": lambda f: (
        f("relu") is facula.nn.functional.relu and raises(ValueError, f, "x")
    ),
    "nn.parallel.scatter_gather.is_namedtuple": lambda f: f(Point(1, 2)) and not f((1, 2)),
    "nn.utils.clip_grad_norm": lambda f: warned(f, [], 1.0).item() == 0,
    "onnx.operators.shape_as_tensor": lambda f: f(facula.ones(2, 3)).tolist() == [2, 3],
    "onnx._internal.exporter.ONNXProgram": same_as("onnx.ONNXProgram"),
    "onnx.symbolic_helper.parse_args": lambda f: f("v", "f")(lambda: 5)._arg_descriptors == ("v", "f"),
    "optim.optimizer._default_to_fused_or_foreach": lambda f: f([X], False) == (False, False),
    "optim.optimizer._get_capturable_supported_devices": lambda f: f() == [],
    "optim.optimizer._get_value": lambda f: f(T(2.0)) == 2.0 and f(3) == 3,
    "optim.optimizer._use_grad_for_differentiable": grads_by_option,
    "optim.optimizer._view_as_real": real_views,
    "_sample_dirichlet": lambda f: float((f(facula.ones(3, 4)).sum(-1) - 1).abs().max()) < 1e-6,
    "_standard_gamma": lambda f: bool((f(facula.ones(3, 4)) > 0).all()),
    "nn.attention.flex_attention._DEFAULT_SPARSE_BLOCK_SIZE": lambda size: size == 128,
    "quasirandom.SobolEngine": sobol,
    "serialization.DEFAULT_PROTOCOL": lambda f: f == 2,
    "serialization._is_zipfile": lambda f: f(io.BytesIO(b"PK\3\4")) and not f(io.BytesIO(b"PK")),
    "serialization.default_restore_location": lambda f: (
        f(X.storage(), "cpu")[0] == 1 and raises(NotImplementedError, f, X.storage(), "cuda:0")
    ),
    "serialization.MAP_LOCATION": lambda f: isinstance("cpu", typing.get_args(f)[2]),
    "utils.tensorboard.summary.hparams": lambda f: [len(one.value) for one in f({"lr": 1.0}, {})] == [1, 1, 1],
    "utils.model_zoo.tqdm": lambda f: list(f(range(3))) == [0, 1, 2],
    "utils._pytree._register_pytree_node": same_as("utils._pytree.register_pytree_node"),
    "utils._pytree.key_get": paths_lead,
    "utils._pytree.register_dataclass": data_classes,
    "utils._pytree.namedtuple": lambda f: f is namedtuple,
    "utils.data._utils.collate.default_collate": same_as("utils.data.default_collate"),
    "utils.data._utils.collate.default_convert": same_as("utils.data.default_convert"),
    "utils.data.dataloader._BaseDataLoaderIter": lambda f: isinstance(iter(facula.utils.data.DataLoader([1, 2])), f),
    "utils.data.dataloader._SingleProcessDataLoaderIter": lambda f: (
        isinstance(iter(facula.utils.data.DataLoader([1])), f)
        and not isinstance(iter(facula.utils.data.DataLoader([1], num_workers=1, worker_method="thread")), f)
    ),
    **{
        f"nn.modules.utils.{name}": lambda f, n=n: f(3) == (3,) * n and f([1, 2]) == (1, 2)
        for n, name in enumerate(("_single", "_pair", "_triple", "_quadruple"), 1)
    },
    "nn.modules.utils._ntuple": lambda f: f(2)(3) == (3, 3),
    "nn.modules.utils._reverse_repeat_tuple": lambda f: f((1, 2), 2) == (2, 2, 1, 1),
    "nn.modules.utils.consume_prefix_in_state_dict_if_present": lambda f: (
        (state := {"a.b": 1, "c": 2}) and f(state, "a.") is None and state == {"b": 1, "c": 2}
    ),
    "utils.data.dataloader._MultiProcessingDataLoaderIter": lambda f: (
        not isinstance(iter(facula.utils.data.DataLoader([1])), f)
        and isinstance(iter(facula.utils.data.DataLoader([1], num_workers=1, worker_method="thread")), f)
    ),
    "utils.data.dataloader._collate_fn_t": lambda f: typing.get_origin(f) is collections.abc.Callable,
    "utils.data.dataloader._DatasetKind": lambda f: (f.Map, f.Iterable) == (0, 1),
    "utils.data.dataloader._InfiniteConstantSampler": lambda f: [next(iter(f())) for _ in range(2)] == [None, None],
}  # fmt: skip
