"""Any number of operands. See Note [Fast path]."""

from .template import Keeping, Path


class many(Keeping):
    """The function of an operator with any fixed number of operands, optional parameters, and one or more results."""

    found = """
    plans, count, fixed, changes = op.table.by_key, op.arity, op.fixed, op.mutates
    rule, saves_out, saves_further, saved = op.rule, op.saves_out, op.saves_further, SavedOperands(op)
    numbers = (float, int) if op.elementwise else ()
    """
    arguments, operands, key = "*operands, out=None", "operands", "(layouts, parameters[:fixed])"
    before = """
    parameters = ()
    if len(operands) > count:
        parameters = operands[count]
        operands = operands[:count]
    $out
    """
    absent = """
    storages.append(NOWHERE)
    offsets.append(0)
    nodes.append(None)
    """
    loads = """
    layouts: Any = []
    storages: Any = []
    offsets: Any = []
    nodes: Any = []
    scalars: Any = ()
    for a in operands:
        if a is None:
            layouts.append(None)
            $absent
        else:
            try:
                layout = a._layout
            except AttributeError:
                if type(a) not in numbers:
                    raise
                layouts.append(type(a))
                $absent
                scalars += (a,)
                continue
            storage = a._storage
            offset = a._offset
            node = a.node
            layouts.append(layout)
            storages.append(storage)
            offsets.append(offset)
            nodes.append(node)
    """
    find = """
    layouts = tuple(layouts)
    $plan
    lo: Any = plan.out
    further = []
    for layout in plan.outputs[1:]:
        storage = Storage()
        if guard or recorders:
            storage = allocate(layout)
        else:
            $block(storage.ptr; storage; layout)
            storage.version = 0
        further.append(storage)
    for place in changes:
        storages[place].version + 1  # None, and so a TypeError, where the memory is read-only
        if nodes[place] is not None or (
            operands[place] is not None and storages.count(storages[place]) > 1
        ):
            raise InvalidTypeError  # to be looked at closely
    """
    launch = """
    addresses = []
    for layout, storage, offset in zip(layouts, storages, offsets, strict=True):
        if type(layout) is not type:  # of a number
            addresses.append(storage.ptr + offset)
    addresses.append(p)
    for storage in further:
        addresses.append(storage.ptr)
    plan.launch(lo.numel, *addresses, *scalars, *parameters[fixed:])
    """
    further = """
    if changes:
        $site
        for place in changes:
            if operands[place] is not None:
                storages[place].version += 1
                storages[place].mutator = (op.name, f.f_code, f.f_lasti)
    results: Any = t
    for layout, storage in zip(plan.outputs[1:], further, strict=True):
        $tensor(u; layout; storage; 0)
        u.node = None
        results = (*results, u) if results is not t else (t, u)
    """
    unwanted, results, complex_rule = "nodes.count(None) == count", "results", ""
    recorded = "record = record and op.recorded"
    edges = "tuple(edges)"
    node = f"""
    edges: Any = []
    wanted: Any = ()
    for a, node in zip(operands, nodes, strict=True):
        edges.append(a if node is LEAF else node)
        wanted += (node is not None,)
    {Keeping.node.strip()}
    """
    kept = """
    values: Any = []
    versions: Any = []
    for a, need, layout, storage, offset, node in zip(
        operands, saved[wanted], layouts, storages, offsets, nodes, strict=True
    ):
        if a is None or not need:
            values.append(None)
        elif node is LEAF or storage is NOWHERE:
            values.append(a)
        else:
            $tensor(u; layout; storage; offset)
            u.node = node
            values.append(u)
        versions.append(None if storage is NOWHERE else storage.version)
    if saves_further:
        values += results[1:]
        for storage in further:
            versions.append(storage.version)
    k.values = tuple(values)
    k.versions = tuple(versions)
    """


class elementwise(Path):
    """The function, without recording, of an elementwise operator on tensors and Python numbers."""

    constants, arguments = "plans = op.table.by_key", "*operands"
    attempt = """
    layouts: Any = []
    places: Any = []
    scalars: Any = []
    for a in operands:
        kind = type(a)
        if kind is float or kind is int:
            layouts.append(kind)
            scalars.append(a)
        else:
            layout = a._layout
            storage = a._storage
            offset = a._offset
            layouts.append(layout)
            places.append((storage, offset))
    layouts = tuple(layouts)
    plan = plans[(layouts, ())]
    results = []
    addresses = []
    for lo in plan.outputs:
        s = Storage()
        if collecting:
            raise NoMemoryError("no block during a collection")  # caught below: the slow path takes others
        $block(s.ptr; s; lo)
        s.version = 0
        $tensor(t; lo; s; 0)
        t.node = None
        results.append(t)
        addresses.append(s.ptr)
    plan.launch(lo.numel, *[storage.ptr + offset for storage, offset in places], *addresses, *scalars)
    """
    planned = "plan_of_other_shape(op, op.table, (layouts, ()), layouts)"
    done = "return t if len(results) == 1 else tuple(results)"
    missed = "break"
    leave = "$leaving(slow_call(op, operands, (), record=False))"
