"""Changes of the first operand, which is returned. See Note [Fast path].

The slow path, `slow_inplace`, restarts the call if memory overlaps, a layout is new, or the change must be recorded
for a view or a tensor with views. A node saves the elements before the change, in a copy, and those after it in the
changed memory itself.
"""

from .template import Path, Recording


class Changing(Path):
    """A path that changes its first operand."""

    options = "(op: Operator, library_call: bool = False)"
    constants = """
    depth = 2 if library_call else 1  # of the calling frame: there is a written function in between
    name = op.name + "_"
    $found
    """
    free = """
    free: bool | None = False  # whether recording is off for any operands
    if active_modes:
        free = unrecorded()
        if free is None:
            $leave
    """
    before = "$free"
    attempt = """
    la = input._layout
    sa = input._storage
    oa = input._offset
    na = input.node
    $change
    """
    # Leave the fast path if the change cannot be recorded here.
    usual = """
    if (
        not op.recorded
        or na is LEAF
        or la.dtype.category != FLOATING
        or hasattr(input, "_viewed")
        or getattr(input, "_views", ())
    ):
        break
    """
    # Copy the old elements for the node: `kept` ($1: whether it saves them).
    kept = """
    if $1:
        kept = new_instance(Tensor)
        kept._layout = la
        kept._storage = sa
        kept._offset = oa
        kept.node = None
        kept = no_record_ops.clone(kept)
        kept.node = na
    """
    # Record the change in a node with the contents `node`.
    record = """
    if recorded:
        n = Node()
        n.seq = next_seq()
        n.e0 = na
        $node
        $users
        n.code = f.f_code
        n.lasti = f.f_lasti
        input.node = n
        if na is not None and na.rule.extra is not None:  # which hooks have
            move_hooks(input, na)
    """
    users = Recording.users
    planned = "plan_inplace_of_other_shape(op, $layouts)"
    writable = "sa.version + 1  # None, and so a TypeError, where the memory is read-only"
    changed = "sa.version += 1"
    done = """
    $changed
    f = _getframe(depth)
    sa.mutator = (name, f.f_code, f.f_lasti)
    $record
    return input
    """
    missed = "break"
    leave = "$leaving(slow_inplace(op, $operands))"


class inplace(Changing):
    """The in-place function of an elementwise operator with two operands; `alpha`, if supported, is a factor."""

    found = """
    dense, scaled, sign = op.table.dense, op.scaled_table.dense, op.scaled
    with_float, with_int, plans = op.table.with_float, op.table.with_int, op.inplace_table.by_key
    numbers = (float, int)
    one = 1  # a single object in Python, unlike True and 1.0, which some dtypes refuse
    """
    arguments, layouts = "input, other, *, alpha=1", "(la, lb)"
    before = """
    $free
    kind = type(other)
    """
    change = """
    if kind is float or kind is int:
        lb = kind
        recorded = na is not None and not free
        launch = with_float[la.dense] if kind is float else with_int[la.dense]
        if launch is None:
            launch = plans[(la, kind)].launch
        if alpha is not one:
            break
        $writable
        if recorded:
            $usual
            saved = op.operand_needs[0][0]
            $kept(saved)
        $address(a)
        launch(la.numel, pa, pa, other)
    else:
        lb = other._layout
        sb = other._storage
        ob = other._offset
        nb = other.node
        recorded = (na is not None or nb is not None) and not free
        $writable
        $address(a)
        $address(b)
        if (pb - pa < la.extent and pa != pb) if pb >= pa else pa - pb < lb.extent:
            break  # they overlap: refused there
        if recorded:
            $usual
            if pa == pb or alpha is not one:
                break
            (a_needs_a, a_needs_b), (b_needs_a, b_needs_b) = op.operand_needs
            saved = (a_needs_a and na is not None) or (b_needs_a and nb is not None)
            $kept(saved)
        if la is not lb:
            if pa == pb or alpha is not one:
                break
            plans[(la, lb)].launch(la.numel, pa, pb, pa)
        elif alpha is one:
            (dense[la.dense] or plans[(la, la)].launch)(la.numel, pa, pb, pa)
        elif type(alpha) in numbers and -65504 <= alpha <= 65504:  # which every floating dtype holds
            scaled[la.dense](la.numel, pa, pb, pa, alpha * sign)
        else:
            break
    """
    node = """
    n.rule = op.scalar_rule if lb is kind else op.rule if la is lb else op.broadcast_rule
    if la.dtype.category == COMPLEX:
        n.rule = op.complex_rules.get(n.rule, n.rule)
    if lb is kind:
        n.s1 = other
    else:
        n.e1 = $edge(b; other)
        if op.extras or la is not lb:
            n.rest = (la, lb)
        if op.rule.saves:
            n.s0 = n.s1 = None
            $slot(1; b; other; (a_needs_b and na is not None) or (b_needs_b and nb is not None))
    if saved:
        n.s0 = kept
        n.v0 = kept._storage.version
    """
    edge, alias, slot = Recording.edge, Recording.alias, Recording.slot
    leave = "$leaving(slow_inplace(op, (input, other), (), alpha))"


class accumulate(Changing):
    """The in-place function by which the engine accumulates a gradient: two tensors, no mode, no call site."""

    options, constants, before = "(op: Operator)", "dense, plans = op.table.dense, op.inplace_table.by_key", ""
    arguments, layouts = "input, other", "(la, lb)"
    attempt = """
    if collecting:
        break
    la = input._layout
    lb = other._layout
    sa = input._storage
    sb = other._storage
    pa = sa.ptr + input._offset
    pb = sb.ptr + other._offset
    if (pb - pa < la.extent) if pb >= pa else (pa - pb < lb.extent):
        break
    $writable
    if la is lb:
        (dense[la.dense] or plans[(la, la)].launch)(la.numel, pa, pb, pa)
    else:
        plans[(la, lb)].launch(la.numel, pa, pb, pa)
    """
    done = """
    $changed
    return input
    """
    leave = "return accumulate(op, (input, other))"


class inplace_unary(Changing):
    """The in-place function of an elementwise operator with one operand."""

    found = """
    dense, plans = op.table.dense, op.inplace_table.by_key
    """
    arguments, operands, layouts = "input", "(input,)", "(la,)"
    change = """
    recorded = na is not None and not free
    launch = dense[la.dense] or plans[la].launch
    $writable
    if recorded:
        $usual
        $kept(op.saves_input or op.saves_both)
    $address(a)
    launch(la.numel, pa, pa)
    """
    node = """
    n.rule = op.rule if la.dtype.category != COMPLEX else op.complex_rules.get(op.rule, op.rule)
    if op.saves_out:
        n.s0 = sa
        n.s1 = la
        n.v0 = sa.version
        n.v1 = oa
    elif op.saves_input:
        n.s0 = kept
        n.v0 = kept._storage.version
    if op.saves_both:
        n.rest = (la, (), kept, kept._storage.version)
    elif op.extras:
        n.rest = (la, ())
    """


class inplace_ternary(Changing):
    """The in-place function of an elementwise operator with three operands; fast if the last two are numbers."""

    found = "plans = op.table.by_key"
    arguments, operands = "input, second, third", "(input, second, third)"
    planned, record = "plan_of_other_shape(op, op.table, (layouts, ()), layouts)", ""
    change = """
    if not (free or na is None):
        break
    layouts = (la, type(second), type(third))
    plan, numel = plans[(layouts, ())], la.numel
    if plan.out is not la:
        break
    $writable
    plan.launch(numel, sa.ptr + oa, sa.ptr + oa, second, third)
    """
