"""The base class of the fast path's templates, and their shared parts."""

from __future__ import annotations

import re
from textwrap import dedent, indent

BLOCK = re.compile(r"( *)\$(\w+)(?:\((.*)\))?")
FIELD = re.compile(r"\$(\w+)(?:\(([^()]*)\))?")


def filled(template: type, text: str) -> str:
    """A text in which each `$name` is replaced by that attribute of the template, recursively.

    An attribute alone on its line is indented like the line; if it is empty, the line is removed. In
    `$name(one; two)`, the attribute has `$1` and `$2`.
    """

    def part(name: str, given: str | None) -> str:
        found: str = getattr(template, name)
        for place, argument in enumerate(given.split("; ") if given else (), 1):
            found = found.replace(f"${place}", argument)
        return filled(template, found)

    lines = []
    for line in dedent(text).strip("\n").split("\n"):
        if found := BLOCK.fullmatch(line):
            lines += [indent(block, found[1]) for block in [part(found[2], found[3])] if block]
        else:
            lines.append(FIELD.sub(lambda found: part(found[1], found[2]), line))
    return "\n".join(lines)


class Path:
    """A function that attempts the fast path and falls back if it fails; the class is named after the function
    that makes it.

    - `constants`: values computed once, when the function is made; `arguments`: the function's arguments.
    - `attempt`: the steps up to the launch; `done`: those after it. `planned`: whether a missing plan could be made.
    - `missed` and `leave`: the fallbacks after an exception in the attempt, and after a `break` out of it.
    """

    options, before = "(op: Operator)", ""
    function = '''
    def make_$__name__$options -> Function:
        """$__doc__"""
        $constants

        def call($arguments):  # type: ignore[no-untyped-def]
            $before
            $body

        return call
    '''
    body = """
    while True:  # left by `break`; some paths repeat it with a plan that was made
        try:
            $attempt
        except MISSED as error:
            if hasattr(error, "launched"):
                raise
            $again
        else:
            $done
        $missed
    $leave
    """
    again = """
    if type(error) is KeyError:
        if $planned:
            continue
    """
    # Return a call's result ($1: the call).
    leaving = """
    try:
        return $1
    except FaculaError as error:
        trim_traceback(error)
        raise
    """
    # Take a block ($1: its address, $2: the storage, $3: the layout).
    block = """
    try:
        $1, $2.__del__ = $3.take_block()
    except IndexError:
        $1, $2.__del__ = $3.refill()
    """
    # Make a tensor that has no node yet ($1: its name, then layout, storage and offset).
    tensor = """
    $1 = new_instance(Tensor)
    $1._layout = $2
    $1._storage = $3
    $1._offset = $4
    """
    # Load the address of an operand ($1: its letter).
    address = """
    p$1 = s$1.ptr
    if o$1:
        p$1 += o$1
    """


class Recording(Path):
    """A path that makes results and records a node if a gradient is needed.

    - `found`: the operator's attributes that it uses. `operands`, `parameters`: the call's, in the form that
    slow paths take.
    - `loads`, `find`, `launch`: the steps of the attempt; plans are stored under `key`, by the operands' `layouts`.
    - `unwanted`: whether no operand has a node; `node`: the node's contents; `results`: the returned values.
    """

    options = "(op: Operator, *, record: bool, checked: bool, library_call: bool = False)"
    parameters, rule, results, further, first = "()", "rule", "t", "", "la"
    constants = """
    $found
    $recorded
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))
    """
    out = """
    if out is not None:
        $leaving(call_into(op, $operands, $parameters, out))
    """
    attempt = """
    $loads
    $find
    $taken(p; s; lo)
    $launch
    """
    find = """
    $plan
    lo: Any = plan.out
    """
    # No second attempt, because loading many operands takes longer than making a plan. If there is none, None leads to
    # an AttributeError, and so to the slow path.
    again = ""
    plan = """
    try:
        plan = plans[$key]
    except KeyError:
        plan = $planned
    """
    planned = "plan_of_other_shape(op, op.table, $key, $layouts, $parameters)"
    done = """
    s.ptr = p
    s.version = 0
    $tensor(t; lo; s; 0)
    $further
    if not record or $unwanted:
        t.node = None
        return $results
    n = t.node = Node()
    n.rule = $rule
    $complex_rule
    n.seq = next_seq()
    $node
    $site
    n.code = f.f_code
    n.lasti = f.f_lasti
    return $results
    """
    recorded = "record, complex_rules = record and op.recorded, op.complex_rules"
    complex_rule = """
    if complex_rules and $first.dtype.category == COMPLEX:
        n.rule = complex_rules.get(n.rule, n.rule)
    """
    # Find the calling frame, and that of the program: `user_frame`, inlined.
    site = """
    f = _getframe(1)
    if library_call:
        $users
    """
    users = """
    try:
        while known_modules[f.f_globals["__name__"]]:
            f = f.f_back  # type: ignore[assignment]
    except (AttributeError, KeyError):  # a module that is not known yet, or no frame of a program
        f = user_frame(1)
    """
    missed = "$leaving(slow_call(op, $operands, $parameters, record))"
    leave = "$leaving(avoid(op, $operands, $parameters))"
    # Load an operand ($1: its letter, $2: its name).
    load = """
    l$1 = $2._layout
    s$1 = $2._storage
    o$1 = $2._offset
    n$1 = $2.node
    """
    # Make the storage of a result ($1: its address, $2: its name, $3: the layout).
    taken = """
    $2 = Storage()
    if guard:
        break
    $block($1; $2; $3)
    """
    # The edge that receives an operand's gradient ($1: its letter, $2: its name).
    edge = "$2 if n$1 is LEAF else n$1"
    # An alias of a saved operand, if $3: `save_alias`, inlined ($1: its name, $2: the operand's letter).
    alias = """
    if $3:
        $tensor($1; l$2; s$2; o$2)
        $1.node = n$2
    """
    # The same, or None, for an operand that is saved only if needed.
    keep = """
    if not needs_$2:
        $1 = None
    elif $3:
        $tensor($1; l$2; s$2; o$2)
        $1.node = n$2
    """
    # Save an operand in a slot, if $4 ($1: the slot's number, $2: the operand's letter, $3: its name).
    slot = """
    if $4:
        $alias($3; $2; n$2 is not LEAF)
        n.s$1 = $3
        n.v$1 = s$2.version
    """
    saved_out = """
    if saves_out:
        n.s0 = s
        n.s1 = lo
        n.v0 = n.v1 = 0
    """


class Keeping(Recording):
    """A path whose nodes store everything in `rest`: the operands' `edges`, and the values in `kept`."""

    plans = """
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    """
    found, before = "$plans", "$out"
    parameters, layouts, key = "parameters", "layouts", "key"
    find = """
    layouts = $among
    key = (layouts, parameters[:fixed] if values else parameters)
    $plan
    lo: Any = plan.out
    """
    launch = """
    if values:
        plan.launch(lo.numel, $addresses, p, *parameters[fixed:])
    else:
        plan.launch(lo.numel, $addresses, p)
    """
    node = """
    n.e0 = n.e1 = None
    k = n.rest = SavedTensors()
    k.edges = $edges
    k.layouts = layouts
    k.parameters = $parameters
    $kept
    $saved_out
    """
