"""Functions for tests of scripts: each takes two vectors, whose signs select the branches."""

from facula_tensor import tensor, zeros


def assigns(x, y):
    scale = 2
    if x.sum() > 0:
        out = x * scale
        unused = out + 1
        unused = unused[0]
    else:
        out = y - scale
    return out


def assigns_on_one_side(x, y):
    out = x
    if x.sum() > 0 and y.sum() > 0:
        out = out * y
        shift = out.sum()
        out = out + shift
    return out


def chain(x, y):
    if x.sum() > 1:
        kind = zeros(1)
    elif not y.sum() < 0:
        kind = zeros(1) + 1
    elif -1 < x.sum() < 0 or y.mean() > -0.3:
        kind = zeros(1) + 2
    else:
        kind = zeros(1) + 3
    return kind


def returns_early(x, y):
    if x.sum() > 0:
        if y.sum() > 0:
            return x * y
        y = y.abs()
    else:
        y = y * 3
        if y[0] > -1:
            return y - 1
    return x + y


def returns_in_all(x, y):
    if x.sum() > 0:
        return {"a": x, "b": (y, 1)}
    else:
        return {"a": y, "b": (x.exp(), 1)}


def expressions(x, y):
    z = x if x.sum() > 0 else y
    w = (x + 1 if y.sum() > 0 else x - 1) * 2
    return z + w


def loops(x, y):
    count = tensor(0)
    while x.abs().sum() > 0.2:
        half = x / 2
        x = half
        count += 1
    return x, count


def loops_with_branches(x, y):
    n = (y.abs().sum() * 10).long() + 1
    steps = tensor(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps, x


def counts(x, y):
    total = zeros(4)
    for i in range((x > 0).sum()):
        total = total + x * i
    for i in range(1, (y > 0).sum() + 1, 2):
        if total.sum() > i:
            total = total - y
    for i in range(tensor(3), -1, tensor(-1)):
        total = total * 0.5 + y[i]
        total[i] = total[i] * 2
    return total


def rows(x, y):
    out = zeros(())
    for row in x:
        if row > 0:
            out = out + row
        else:
            out = out * row
    return out


def decided_by_python(x, y, flags=("a", "b")):
    out = x
    for name in flags:
        if name == "a":
            continue
        if name == "b":
            out = out * 2
            break
    else:
        out = None
    n = 0
    while n < 3:
        n += 1
        out = out + n
    for i in range(n):
        out = out - i
    return out


def calls(x, y):
    def inner(a, b=1.0, *, c=2.0):
        if a.sum() > 0:
            return a * b
        return a * c

    return inner(x, c=3.0) + positive(y) + Kind().scale(x)


def positive(x):
    """A function of the module."""
    if x.sum() > 0:
        return x
    return -x


class Kind:
    __hidden = 2.0

    def scale(self, x):
        if x.sum() > 0:
            x = x * self.__hidden
        return x + self.__hidden


def changes_in_place(x, y):
    out = zeros(4)
    if x.sum() > 0:
        out += x
        out[0] = 7.0
    else:
        out.sub_(y)
    return out


def nested_blocks(x, y):
    out = x
    try:
        if x.sum() > 0:
            out = x + y
    finally:
        out = out * 2
    for _ in (1, 2):
        if y.sum() > 0:
            out = out + 1
    return [part * 2 if x.sum() > 0 else part for part in (out, y)]


EVERYTHING = {
    program.__name__: program
    for program in (
        assigns, assigns_on_one_side, chain, returns_early, returns_in_all, expressions, loops, loops_with_branches,
        counts, rows, decided_by_python, calls, changes_in_place, nested_blocks,
    )
}  # fmt: skip


# ------------------------------------------------------------------------------- not rewritten, reported by line
def breaks_off(x, y):
    while True:
        if x.sum() < 1:
            break
        x = x / 2
    return x


def returns_in_a_loop(x, y):
    for row in x:
        if row > 5:
            return row
    return y


def loops_with_else(x, y):
    while x.sum() > 1:
        x = x / 2
    else:
        x = x + 1
    return x


def counts_in_python(x, y):
    n = 0
    while x.abs().sum() > 1:
        n += 1
        x = x / 2
    return n


def sets_on_one_side(x, y):
    if x.sum() > 0:
        z = x
    if x.sum() > 0:
        return z
    return y


def of_other_shapes(x, y):
    if x.sum() > 0:
        z = x
    else:
        z = y[:2]
    return z.sum()


def strings(x, y):
    if x.sum() > 0:
        name = "up"
    else:
        name = "down"
    return (x if name == "up" else y) * 2


def numbers(x, y):
    if x.sum() > 0:
        k = 1
    else:
        k = 2
    return x * k


def binds_outside(x, y):
    n = x

    def inner():
        nonlocal n
        if x.sum() > 0:
            n = y

    inner()
    return n


def puts_into_a_list(x, y):
    held = [x, {"y": y}]
    if x.sum() > 0:
        held[1]["y"] = x
    return held[1]["y"] * 1


def sets_an_attribute(x, y):
    kind = Kind()
    kind.value = x
    if x.sum() > 0:
        kind.value = x * 2
        return kind.value
    return kind.value + y


def collects(x, y):
    sums = [y]
    while x.abs().sum() > 1:
        x = x / 2
        sums.append(x)
    return sums[-1]


REFUSED = {
    breaks_off: ("`if` with `break` or `continue` cannot be captured", 2),
    returns_in_a_loop: ("`if` with `return` cannot be captured", 2),
    loops_with_else: ("`while` with `else` cannot be captured", 1),
    counts_in_python: ("the variable 'n' of a while is int 0", 2),
    sets_on_one_side: ("the variable 'z' is .*not set", 1),
    of_other_shapes: (r"the variable 'z' is float32 \(\d,\) or float32 \(\d,\)", 1),
    strings: ("the variable 'name' is str '(up|down)' or str '(up|down)'", 1),
    numbers: ("the variable 'k' is int . or int .", 1),
    puts_into_a_list: ("a dict from outside is changed, depending on a tensor", 2),
    sets_an_attribute: ("an attribute of a Kind from outside is changed, depending on a tensor", 3),
    collects: ("a list from outside is changed, depending on a tensor", 2),
    binds_outside: ("`if` that binds a name of `global` or `nonlocal`", 5),
}
