"""facula.utils._pytree: nested containers as a list of their leaves and a description of the rest.

Containers are list, tuple, named tuple, dict, OrderedDict, defaultdict, deque, Size, and classes given to
`register_pytree_node`. All other values are leaves, including None. Dicts keep their order.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Size

from .._lookup.names import publish
from ._tree_keys import GetAttrKey, MappingKey, SequenceKey, keystr

PyTree: TypeAlias = Any  # a nest, or a leaf of one: of any type
Context: TypeAlias = Any  # what a container consists of, in addition to its children

if TYPE_CHECKING:
    from collections.abc import Iterator

IsLeaf: TypeAlias = Callable[[PyTree], bool] | None
Flatten: TypeAlias = Callable[[PyTree], tuple[list[PyTree], Context]]
Unflatten: TypeAlias = Callable[[Iterable[PyTree], Context], PyTree]
# A class, a tuple of classes, or a predicate of leaves.
Kind: TypeAlias = type | tuple[type, ...] | Callable[[PyTree], bool]

__all__ = [
    "SUPPORTED_NODES", "Context", "GetAttrKey", "LeafSpec", "MappingKey", "NodeDef", "PyTree", "SequenceKey",
    "TreeSpec", "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance", "keystr", "register_pytree_node",
    "tree_all", "tree_any", "tree_flatten", "tree_flatten_with_path", "tree_iter", "tree_leaves",
    "tree_leaves_with_path", "tree_map", "tree_map_", "tree_map_only", "tree_map_only_", "tree_map_with_path",
    "tree_structure", "tree_unflatten",
]  # fmt: skip


class NodeDef(NamedTuple):
    """The functions that flatten a container into children and a context, and rebuild it.

    Arguments:
        type: the class, or `namedtuple` for all classes of named tuples.
        flatten_fn: returns the children and the context of a container.
        unflatten_fn: creates a container from both.
        flatten_with_keys_fn: returns pairs of keys and children, and the context; None if there are no keys.
    """

    type: Any
    flatten_fn: Flatten
    unflatten_fn: Unflatten
    flatten_with_keys_fn: Flatten | None = None


def _of_items(tree: PyTree) -> tuple[list[PyTree], Context]:
    return list(tree), None


def _dict_flatten(tree: PyTree) -> tuple[list[PyTree], Context]:
    return list(tree.values()), list(tree)


def _dict_unflatten(values: Iterable[PyTree], keys: Context) -> PyTree:
    return dict(zip(keys, values, strict=True))


def _dict_flatten_with_keys(tree: PyTree) -> tuple[list[PyTree], Context]:
    return [(MappingKey(key), value) for key, value in tree.items()], list(tree)


def _of_named(tree: PyTree) -> tuple[list[PyTree], Context]:
    return list(tree), type(tree)


SUPPORTED_NODES: dict[Any, NodeDef] = {
    list: NodeDef(list, _of_items, lambda values, context: list(values)),
    tuple: NodeDef(tuple, _of_items, lambda values, context: tuple(values)),
    Size: NodeDef(Size, _of_items, lambda values, context: tuple(values)),
    dict: NodeDef(dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys),
    OrderedDict: NodeDef(
        OrderedDict,
        _dict_flatten,
        lambda values, keys: OrderedDict(zip(keys, values, strict=True)),
        _dict_flatten_with_keys,
    ),
    defaultdict: NodeDef(
        defaultdict,
        lambda tree: (list(tree.values()), [tree.default_factory, list(tree)]),
        lambda values, context: defaultdict(context[0], zip(context[1], values, strict=True)),
        lambda tree: (_dict_flatten_with_keys(tree)[0], [tree.default_factory, list(tree)]),
    ),
    deque: NodeDef(deque, lambda tree: (list(tree), tree.maxlen), lambda values, length: deque(values, maxlen=length)),
    namedtuple: NodeDef(
        namedtuple,
        _of_named,
        lambda values, kind: kind(*values),
        lambda tree: ([(GetAttrKey(name), getattr(tree, name)) for name in tree._fields], type(tree)),
    ),
}


def is_namedtuple_class(cls: object) -> bool:
    """Return whether a class is a named tuple class."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_namedtuple_instance(obj: object) -> bool:
    """Return whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object) -> bool:
    """Return whether an object is a named tuple, or a named tuple class."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def _get_node_type(tree: PyTree) -> Any:
    """Return the key of a container in `SUPPORTED_NODES`: its class, or `namedtuple`."""
    kind = type(tree)
    return namedtuple if kind not in SUPPORTED_NODES and is_namedtuple_class(kind) else kind


def _container_of(tree: PyTree) -> NodeDef | None:
    kind = type(tree)
    known = SUPPORTED_NODES.get(_get_node_type(tree))
    if known is None and isinstance(tree, tuple) and kind.__module__.startswith("facula"):
        return NodeDef(kind, _of_items, lambda values, context: kind(values))  # pairs such as (values, indices)
    return known


@boundary
def register_pytree_node(
    cls: type,
    flatten_fn: Flatten,
    unflatten_fn: Unflatten,
    *,
    flatten_with_keys_fn: Flatten | None = None,
    **options: object,
) -> None:
    """Register a class as a container. ValueError if the class is already registered.

    Arguments:
        cls: the class.
        flatten_fn: returns the children and a context of an instance.
        unflatten_fn: creates an instance from children and context.
        flatten_with_keys_fn: returns pairs of keys and children, and the context; for `tree_flatten_with_path`.
        **options: serialization options of PyTorch's exporter.
    """
    if cls in SUPPORTED_NODES:
        raise InvalidValueError(f"register_pytree_node: {cls.__name__} is registered already; register another class")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


@boundary
class TreeSpec:
    """The structure of a nest without its leaves: `type` (None for a leaf), `context`, the children's specs."""

    __slots__ = ("_unflatten", "children_specs", "context", "num_children", "num_leaves", "num_nodes", "type")

    _unflatten: Callable[..., PyTree] | None

    num_nodes: int
    num_leaves: int

    def __init__(
        self,
        type: Any,
        context: Context,
        children_specs: list[TreeSpec],
        unflatten: Callable[..., PyTree] | None = None,
    ) -> None:
        if unflatten is None and type is not None:
            unflatten = SUPPORTED_NODES[type].unflatten_fn
        self.type, self.context, self.children_specs, self._unflatten = type, context, children_specs, unflatten
        self.num_children = len(children_specs)
        self.num_nodes = 1 + sum(child.num_nodes for child in children_specs)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in children_specs)

    def is_leaf(self) -> bool:
        """Return whether this is the spec of a leaf."""
        return self.type is None

    def children(self) -> list[TreeSpec]:
        """Return the specs of the children."""
        return list(self.children_specs)

    def unflatten(self, leaves: Iterable[PyTree]) -> PyTree:
        """Rebuild the nest with these leaves. ValueError for a wrong number of leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise InvalidValueError(
                f"tree_unflatten: expected {self.num_leaves} leaves for {self}; got {len(leaves)} of them"
            )
        return self._build(iter(leaves))

    def _build(self, leaves: Iterator[PyTree]) -> PyTree:
        if self._unflatten is None:
            return next(leaves)
        return self._unflatten([child._build(leaves) for child in self.children_specs], self.context)

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """Return the parts of a nest at the positions of this spec's leaves. ValueError if the structures differ."""
        if self.type is None:
            return [tree]
        container = _container_of(tree)
        children, context = container.flatten_fn(tree) if container is not None else ([], None)
        alike = type(tree) is self.type and len(children) == self.num_children
        if alike and issubclass(self.type, dict) and set(tree) == set(self._keys()):
            children = [tree[key] for key in self._keys()]
        elif not alike or context != self.context:
            raise InvalidValueError(f"tree_map: expected nests of one shape, {self}; got {tree!r:.60}")
        return [
            leaf
            for spec, child in zip(self.children_specs, children, strict=True)
            for leaf in spec.flatten_up_to(child)
        ]

    def _keys(self) -> list[PyTree]:
        return self.context[1] if self.type is defaultdict else self.context  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self.context, self.children_specs) == (other.type, other.context, other.children_specs)

    def __hash__(self) -> int:
        return hash((self.type, self.num_nodes, self.num_leaves))

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        return f"TreeSpec({self.type.__name__}, {self.context}, {self.children_specs})"


class LeafSpec(TreeSpec):
    """The spec of a leaf.

    >>> LeafSpec() == tree_structure(1)
    True
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])


@boundary
def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[PyTree], TreeSpec]:
    """Return the leaves of a nest, and its structure. Values for which `is_leaf` is true are leaves.

    >>> leaves, spec = tree_flatten({"a": 1, "b": [2, 3]})
    >>> leaves, spec
    ([1, 2, 3], TreeSpec(dict, ['a', 'b'], [*, TreeSpec(list, None, [*, *])]))
    >>> tree_unflatten([4, 5, 6], spec)
    {'a': 4, 'b': [5, 6]}
    """
    leaves: list[PyTree] = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree: PyTree, leaves: list[PyTree], is_leaf: IsLeaf) -> TreeSpec:
    container = None if is_leaf is not None and is_leaf(tree) else _container_of(tree)
    if container is None:
        leaves.append(tree)
        return LeafSpec()
    children, context = container.flatten_fn(tree)
    specs = [_flatten(child, leaves, is_leaf) for child in children]
    return TreeSpec(type(tree), context, specs, container.unflatten_fn)


@boundary
def tree_unflatten(leaves: Iterable[PyTree], treespec: TreeSpec) -> PyTree:
    """Rebuild the nest of a spec with these leaves. ValueError for a wrong number of leaves."""
    if not isinstance(treespec, TreeSpec):
        raise InvalidTypeError(f"tree_unflatten: expected treespec to be a TreeSpec; got {type(treespec).__name__}")
    return treespec.unflatten(leaves)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[PyTree]:
    """Return the leaves of a nest.

    >>> tree_leaves((1, [2, None]))
    [1, 2, None]
    """
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterator[PyTree]:
    """Yield the leaves of a nest."""
    return iter(tree_leaves(tree, is_leaf))


@boundary
def tree_flatten_with_path(
    tree: PyTree, is_leaf: IsLeaf = None
) -> tuple[list[tuple[tuple[PyTree, ...], PyTree]], TreeSpec]:
    """Return the leaves of a nest with their paths, which are tuples of keys, and its structure.

    TypeError for a container that was registered without keys.

    >>> tree_flatten_with_path({"a": [5]})[0]
    [((MappingKey(key='a'), SequenceKey(idx=0)), 5)]
    """
    spec = tree_structure(tree, is_leaf)
    return list(_with_paths(tree, is_leaf, ())), spec


def _with_paths(tree: PyTree, is_leaf: IsLeaf, path: tuple[PyTree, ...]) -> Iterator[tuple[PyTree, PyTree]]:
    container = None if is_leaf is not None and is_leaf(tree) else _container_of(tree)
    if container is None:
        yield path, tree
        return
    if container.flatten_with_keys_fn is not None:
        pairs = container.flatten_with_keys_fn(tree)[0]
    elif isinstance(tree, (list, tuple, deque)):
        pairs = [(SequenceKey(place), child) for place, child in enumerate(tree)]
    else:
        raise InvalidTypeError(
            f"tree_flatten_with_path: expected containers with keys; got {type(tree).__name__}, which was registered "
            "without flatten_with_keys_fn"
        )
    for key, child in pairs:
        yield from _with_paths(child, is_leaf, (*path, key))


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf = None) -> list[tuple[tuple[PyTree, ...], PyTree]]:
    """Return the leaves of a nest with their paths."""
    return tree_flatten_with_path(tree, is_leaf)[0]


@boundary
def tree_map_with_path(func: Callable[..., PyTree], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Apply `func` to each leaf's path and value, and return the nest of results; see `tree_map`."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(*pair, *parts) for pair, *parts in zip(leaves, *others, strict=True)])


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the structure of a nest without its leaves."""
    return tree_flatten(tree, is_leaf)[1]


@boundary
def tree_map(func: Callable[..., PyTree], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Apply `func` to each leaf, along with the matching leaves of other nests, and return the nest of results.

    >>> tree_map(lambda a, b: a + b, {"x": 1, "y": (2,)}, {"x": 10, "y": (20,)})
    {'x': 11, 'y': (22,)}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(*parts) for parts in zip(leaves, *others, strict=True)])


@boundary
def tree_map_(func: Callable[..., PyTree], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Call `func` on each leaf for its side effects; return the nest itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(kind: Kind, func: Callable[[PyTree], PyTree], tree: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Apply `func` to the leaves of a class, or for which `kind` is true, and return the nest of results.

    >>> tree_map_only(int, lambda a: -a, [1, "b"])
    [-1, 'b']
    """
    chosen = _chooser(kind)
    return tree_map(lambda leaf: func(leaf) if chosen(leaf) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(kind: Kind, func: Callable[[PyTree], PyTree], tree: PyTree, is_leaf: IsLeaf = None) -> PyTree:
    """Call `func` on the leaves of a class for its side effects; return the nest itself."""
    tree_map_only(kind, func, tree, is_leaf)
    return tree


def _chooser(kind: Kind) -> Callable[[PyTree], bool]:
    if callable(kind) and not isinstance(kind, type):
        return kind  # type: ignore[no-any-return]
    return lambda leaf: isinstance(leaf, kind)


def tree_all(pred: Callable[[PyTree], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether `pred` is true for every leaf."""
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf))


def tree_any(pred: Callable[[PyTree], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Return whether `pred` is true for any leaf."""
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf))


publish(__name__)
