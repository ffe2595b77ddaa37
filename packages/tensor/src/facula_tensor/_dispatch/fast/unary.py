"""One operand, and two operands of elementwise operators. See Note [Fast path]."""

from .template import Recording, filled


class Dense(Recording):
    """A path whose operands may share a plan for any size."""

    find = """
    lo = la
    launch = $dense
    if launch is None:
        $plan
        launch = plan.launch
        lo = plan.out
    """


class unary(Dense):
    """The function of an operator with one tensor operand and optional parameters."""

    found = """
    dense, plans, fixed, values = op.table.dense, op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_input, saves_out, extras, saves_both = op.rule, op.saves_input, op.saves_out, op.extras, op.saves_both
    nothing = ()  # one object in all of Python; a user's 0 or None is told from it
    """
    arguments, operands, parameters = "input, _parameters=(), out=None", "(input,)", "_parameters"
    before = "$out"
    loads = """
    $load(a; input)
    shared = _parameters[:fixed] if values else _parameters
    """
    dense = "dense[la.dense] if _parameters is nothing else None"
    key, layouts, unwanted = "(la, shared)", "(la,)", "na is None"
    launch = """
    $address(a)
    if values:
        launch(lo.numel, pa, p, *_parameters[fixed:])
    else:
        launch(lo.numel, pa, p)
    """
    node = """
    n.e0 = $edge(a; input)
    k = input
    $alias(k; a; saves_input and na is not LEAF)
    $saved_out
    elif saves_input:
        n.s0 = k
        n.v0 = sa.version
    if saves_both:
        n.rest = (la, _parameters, k, sa.version)
    elif extras:
        n.rest = (la, _parameters)
    """


class with_number(Dense):
    """The part of a function of two operands for a tensor and a Python number."""

    operands = "(input, other)"
    loads = "$load(a; input)"
    dense = "with_float[la.dense] if kind is float else with_int[la.dense]"
    key = layouts = "(la, kind)"
    unwanted, rule = "na is None", "scalar_rule"
    launch = """
    $address(a)
    launch(lo.numel, pa, p, other)
    """
    node = """
    n.e0 = $edge(a; input)
    n.s1 = other
    $slot(0; a; input; a_needs_a)
    """


class binary(Dense):
    """The function of an operator with two tensor operands, or a tensor and a Python number."""

    found = """
    dense, plans, with_float, with_int = op.table.dense, op.table.by_key, op.table.with_float, op.table.with_int
    extras, rule, broadcast_rule, scalar_rule = op.extras, op.rule, op.broadcast_rule, op.scalar_rule
    (a_needs_a, a_needs_b), (b_needs_a, b_needs_b) = op.operand_needs
    saves = op.rule.saves
    number_first = make_number_first(op, record=record, checked=checked, library_call=True)
    """
    arguments, operands = "input, other", "(input, other)"
    with_number = filled(with_number, "$body")
    before = """
    kind = type(other)
    if kind is float or kind is int:
        $with_number
    """
    loads = """
    $load(a; input)
    $load(b; other)
    """
    dense = "dense[la.dense] if la is lb else None"
    key = layouts = "(la, lb)"
    unwanted, rule = "(na is None and nb is None)", "rule if la is lb else broadcast_rule"
    launch = """
    $address(a)
    $address(b)
    launch(lo.numel, pa, pb, p)
    """
    node = """
    n.e0 = $edge(a; input)
    n.e1 = $edge(b; other)
    if extras or la is not lb:
        n.rest = (la, lb)
    if saves:
        n.s0 = n.s1 = None
        $slot(0; a; input; (b_needs_a and nb is not None) or (a_needs_a and na is not None))
        $slot(1; b; other; (a_needs_b and na is not None) or (b_needs_b and nb is not None))
    """
    missed = """
    if complex in (kind, type(input)) and (result := with_complex(op, input, other, record)) is not None:
        return result
    if type(input) is float or type(input) is int:
        $leaving(number_first(input, other))
    $leaving(call_with_two(op, input, other, record))
    """


class number_first(Recording):
    """The function of an operator with a Python number as the first operand, as in `2 - x`."""

    found = """
    plans, rule = op.table.by_key, op.number_first_rule
    (_, _), (_, needs_other) = op.operand_needs
    """
    arguments, operands = "number, other", "(number, other)"
    loads = "$load(b; other)"
    key = layouts = "(type(number), lb)"
    unwanted, first = "nb is None", "lb"
    launch = """
    $address(b)
    plan.launch(lo.numel, pb, p, number)
    """
    node = """
    n.e0 = None
    n.e1 = $edge(b; other)
    n.s0 = number
    n.v0 = n.s1 = None
    $slot(1; b; other; needs_other)
    """
