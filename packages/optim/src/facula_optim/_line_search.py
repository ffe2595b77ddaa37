"""Line search under the strong Wolfe conditions.

Note [Strong Wolfe] ~~~~~~~~~~~~~~~~~~~ A step size t is accepted if the loss decreases by at least ENOUGH times the
decrease predicted by the slope at 0, and if the slope at t is at most FLATTER times the initial one. The search first
finds a bracket: two step sizes with an acceptable t between them (Nocedal and Wright 2006, algorithm 3.5). It then
narrows the bracket by the minimum of the cubic that interpolates the values and slopes at its ends (3.6). If progress
stalls, this minimum is kept away from the ends, as in M. Schmidt's minFunc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor import Tensor

ENOUGH, FLATTER, CALLS = 1e-4, 0.9, 25


class Point(NamedTuple):
    """A point of the search: step size, loss, gradient, and slope along the direction."""

    size: float
    loss: float
    gradient: Tensor
    slope: float


def strong_wolfe(
    at: Callable[[float], tuple[float, Tensor]],
    size: float,
    direction: Tensor,
    loss: float,
    gradient: Tensor,
    slope: float,
    smallest: float,
) -> tuple[float, Tensor, float, int]:
    """Return (loss, gradient, size, number of calls of `at`), where `at(size)` returns loss and gradient.

    Arguments:
        at: the loss and the gradient at a step size.
        size: the first step size to try.
        direction: the direction, as one vector.
        loss: the loss at size 0.
        gradient: the gradient at size 0.
        slope: the slope along the direction at size 0, which is negative.
        smallest: the minimum width of the bracket times the direction's largest element; the search ends below it.
    """
    start = Point(0.0, loss, gradient, slope)
    longest = direction.abs().max().item()

    def look(size: float) -> Point:
        value, there = at(size)
        return Point(size, value, there, there.dot(direction).item())

    def too_high(point: Point) -> bool:
        return point.loss > loss + ENOUGH * point.size * slope

    def flat(point: Point) -> bool:
        return abs(point.slope) <= -FLATTER * slope

    before, now, calls, rounds = start, look(size), 1, 0
    while True:
        if rounds >= CALLS:
            bracket = [start, now]
            break
        if too_high(now) or (rounds > 0 and now.loss >= before.loss):
            bracket = [before, now]
            break
        if flat(now):
            return now.loss, now.gradient, now.size, calls
        if now.slope >= 0:
            bracket = [before, now]
            break
        bounds = (now.size + 0.01 * (now.size - before.size), now.size * 10)
        before, now = now, look(cubic_minimum(before, now, bounds))
        calls += 1
        rounds += 1

    stalled = False
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    while rounds < CALLS:
        near, far = sorted((bracket[0].size, bracket[1].size))
        if (far - near) * longest < smallest:
            break
        size = cubic_minimum(bracket[0], bracket[1], (near, far))
        margin = 0.1 * (far - near)
        if min(far - size, size - near) < margin:
            if stalled or size >= far or size <= near:
                size = far - margin if abs(size - far) < abs(size - near) else near + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        now = look(size)
        calls += 1
        rounds += 1
        if too_high(now) or now.loss >= bracket[low].loss:
            bracket[high] = now
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        else:
            if flat(now):
                return now.loss, now.gradient, now.size, calls
            if now.slope * (bracket[high].size - bracket[low].size) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = now
    best = bracket[low]
    return best.loss, best.gradient, best.size, calls


def cubic_minimum(a: Point, b: Point, bounds: tuple[float, float]) -> float:
    """Return the minimum, within the bounds, of the cubic with these values and slopes; the midpoint if it has none.

    Arguments:
        a: a point.
        b: another point.
        bounds: the minimum and the maximum of the result.
    """
    if a.size > b.size:
        a, b = b, a
    middle = (bounds[0] + bounds[1]) / 2
    if a.size == b.size:
        return middle
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.size - b.size)
    square = first * first - a.slope * b.slope
    if not square >= 0:  # also for NaN
        return middle
    root = square**0.5
    divisor = b.slope - a.slope + 2 * root
    if divisor == 0:
        return middle
    least = b.size - (b.size - a.size) * ((b.slope + root - first) / divisor)
    return min(max(least, bounds[0]), bounds[1])
