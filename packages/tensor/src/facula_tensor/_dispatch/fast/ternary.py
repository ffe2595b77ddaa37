"""Three operands. See Note [Fast path]."""

from .template import Keeping, Recording


class ternary(Keeping):
    """The function of an operator with three operands (the last may be None), optional parameters, and one result."""

    found = """
    $plans
    with_numbers = make_with_numbers(op, record=record, checked=checked, library_call=True) if op.elementwise else None
    """
    arguments, operands = "first, second, third=None, parameters=(), out=None", "(first, second, third)"
    among = "(la, lb, lc)"
    before = """
    $out
    if with_numbers is not None:
        b, c = type(second), type(third)
        if b is float or b is int or c is float or c is int:
            $leaving(with_numbers(first, second, third))
    """
    loads = """
    $load(a; first)
    $load(b; second)
    lc: Any
    if third is None:
        lc = nc = None
        sc = NOWHERE
        oc = 0
    else:
        $load(c; third)
    """
    addresses = "sa.ptr + oa, sb.ptr + ob, sc.ptr + oc"
    unwanted = "(na is None and nb is None and nc is None)"
    edges = "($edge(a; first), $edge(b; second), $edge(c; third))"
    copied_b, copied_c = "nb is not LEAF", "third is not None and nc is not LEAF"
    kept = """
    needs_a, needs_b, needs_c = saved[(na is not None, nb is not None, nc is not None)]
    $keep(first; a; na is not LEAF)
    $keep(second; b; $copied_b)
    $keep(third; c; $copied_c)
    k.values = (first, second, third)
    k.versions = $versions
    """
    versions = "(sa.version, sb.version, sc.version)"


class with_numbers(ternary):
    """The function of an elementwise operator with three operands, the last two or one of them numbers."""

    found = """
    plans = op.table.by_key
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    """
    arguments, before, parameters, key = "first, second, third", "", "()", "(layouts, ())"
    loads = """
    $load(a; first)
    lb: Any = type(second)
    lc: Any = type(third)
    sb = sc = nb = nc = None
    ob = oc = 0
    if lb is not float and lb is not int:
        $load(b; second)
    elif lc is not float and lc is not int:
        $load(c; third)
    layouts = (la, lb, lc)
    """
    find = Recording.find
    launch = """
    if sb is not None:
        plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, p, third)
    elif sc is not None:
        plan.launch(lo.numel, sa.ptr + oa, sc.ptr + oc, p, second)
    else:
        plan.launch(lo.numel, sa.ptr + oa, p, second, third)
    """
    copied_b, copied_c = "sb is not None and nb is not LEAF", "sc is not None and nc is not LEAF"
    versions = "(sa.version, None if sb is None else sb.version, None if sc is None else sc.version)"
