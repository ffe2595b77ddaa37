"""Changes of the first operand, which is returned. See Note [Fast path].

These paths do not record. If a gradient is needed, memory overlaps or a layout is new, `slow_inplace` restarts
the call.
"""

from .template import Path


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
    if not (free or input.node is None):
        break
    $change
    """
    planned = "plan_inplace_of_other_shape(op, $layouts)"
    writable = "sa.version + 1  # None, and so a TypeError, where the memory is read-only"
    changed = "sa.version += 1"
    done = """
    $changed
    f = _getframe(depth)
    sa.mutator = (name, f.f_code, f.f_lasti)
    return input
    """
    missed = "break"
    leave = "return trimmed_inplace(op, $operands)"


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
        launch = with_float[la.dense] if kind is float else with_int[la.dense]
        if launch is None:
            launch = plans[(la, kind)].launch
        if alpha is not one:
            break
        $writable
        $address(a)
        launch(la.numel, pa, pa, other)
    else:
        lb = other._layout
        sb = other._storage
        ob = other._offset
        if not (free or other.node is None):
            break
        $writable
        $address(a)
        $address(b)
        if (pb - pa < la.extent and pa != pb) if pb >= pa else pa - pb < lb.extent:
            break  # they overlap: refused there
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
    leave = "return trimmed_inplace(op, (input, other), (), alpha)"


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

    found = "dense, plans = op.table.dense, op.inplace_table.by_key"
    arguments, operands, layouts = "input", "(input,)", "(la,)"
    change = """
    launch = dense[la.dense] or plans[la].launch
    $writable
    $address(a)
    launch(la.numel, pa, pa)
    """


class inplace_ternary(Changing):
    """The in-place function of an elementwise operator with three operands; fast if the last two are numbers."""

    found = "plans = op.table.by_key"
    arguments, operands = "input, second, third", "(input, second, third)"
    planned = "plan_of_other_shape(op, op.table, (layouts, ()), layouts)"
    change = """
    layouts = (la, type(second), type(third))
    plan, numel = plans[(layouts, ())], la.numel
    if plan.out is not la:
        break
    $writable
    plan.launch(numel, sa.ptr + oa, sa.ptr + oa, second, third)
    """
