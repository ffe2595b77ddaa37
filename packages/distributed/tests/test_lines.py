"""The line of the program that calls the library, at different depths of calls on both sides."""

from itertools import product

from facula_distributed._board.lines import program_line

LIBRARY = """
def call(depth):
    return program_line(2) if depth == 0 else call(depth - 1)
"""
space = {"__name__": "facula_distributed.imagined", "program_line": program_line}
exec(LIBRARY, space)
call = space["call"]


def first(depth):
    return call(depth)


def second(depth, function=call):
    return function(depth)


def third(depth):
    return second(depth, first)


def test_the_line_is_that_of_the_innermost_call_of_the_program():
    lines = {first: 17, second: 21, third: 17}
    for depth, function, other, more in product(range(4), lines, lines, range(4)):
        assert function(depth).endswith(b"test_lines.py:%d" % lines[function])
        assert other(more).endswith(b"test_lines.py:%d" % lines[other])


def test_code_objects_may_end():
    for number in range(1, 1100):
        own = {"call": call}
        exec(compile("\n" * number + "found = call(2)", "made.py", "exec"), own)
        assert own["found"] == b"made.py:%d" % (number + 1)
