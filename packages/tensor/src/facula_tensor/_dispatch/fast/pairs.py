"""Two operands with parameters, and two results. See Note [Fast path]."""

from .template import Keeping


class double(Keeping):
    """The function of an operator with two operands, optional parameters, and one result."""

    arguments, operands, among = "first, second, parameters=(), out=None", "(first, second)", "(la, lb)"
    loads = """
    $load(a; first)
    $load(b; second)
    """
    addresses = "sa.ptr + oa, sb.ptr + ob"
    unwanted = "(na is None and nb is None)"
    edges = "($edge(a; first), $edge(b; second))"
    kept = """
    needs_a, needs_b = saved[(na is not None, nb is not None)]
    $keep(first; a; na is not LEAF)
    $keep(second; b; nb is not LEAF)
    k.values = (first, second)
    k.versions = (sa.version, sb.version)
    """


class pair(Keeping):
    """The function of an operator with one operand, optional parameters, and two results."""

    found = """
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_input, saves_out, saves_further = op.rule, op.saves_input, op.saves_out, op.saves_further
    """
    arguments, operands, key = "input, parameters=(), out=None", "(input,)", "key"
    loads = "$load(a; input)"
    find = """
    layouts = (la,)
    key = (layouts, parameters[:fixed] if values else parameters)
    $plan
    lo, lf = plan.outputs
    """
    launch = """
    $taken(q; sf; lf)
    if values:
        plan.launch(lo.numel, sa.ptr + oa, p, q, *parameters[fixed:])
    else:
        plan.launch(lo.numel, sa.ptr + oa, p, q)
    """
    further = """
    sf.ptr = q
    sf.version = 0
    $tensor(further; lf; sf; 0)
    further.node = None
    """
    unwanted, results, edges = "na is None", "t, further", "($edge(a; input),)"
    kept = """
    $alias(input; a; saves_input and na is not LEAF)
    kept = input if saves_input else None
    k.values, k.versions = ((kept, further), (sa.version, 0)) if saves_further else ((kept,), (sa.version,))
    """
