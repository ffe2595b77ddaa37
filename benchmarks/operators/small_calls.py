"""Small calls of families other than the elementwise ones: reductions, joins, products, in-place changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..libraries import Rows, filled
from ..measure import Loop, own_code

rows = Rows()


def calls(name: str, target: float, *shapes: tuple[int, ...]) -> Callable:
    """Add a row that calls `operation(F, *tensors)` of these shapes."""

    def add(operation: Callable[..., Any]) -> Callable[..., Any]:
        @rows.row(name, target)
        def setup(F: Any) -> Loop:
            operands = [filled(F, *shape) for shape in shapes]
            call = own_code(operation)

            def loop(times):
                for _ in times:
                    call(F, *operands)

            return loop

        return operation

    return add


SQUARE = (4, 4)

calls("a.sum()", 0.8, SQUARE)(lambda F, a: a.sum())
calls("a.sum(1)", 0.8, SQUARE)(lambda F, a: a.sum(1))
calls("a.sum(-1, keepdim=True)", 0.8, SQUARE)(lambda F, a: a.sum(-1, keepdim=True))
calls("a.mean()", 0.8, SQUARE)(lambda F, a: a.mean())
calls("a.mean(0)", 0.8, SQUARE)(lambda F, a: a.mean(0))
calls("a.prod()", 0.8, SQUARE)(lambda F, a: a.prod())
calls("a.max()", 0.8, SQUARE)(lambda F, a: a.max())
calls("a.amax(1)", 0.8, SQUARE)(lambda F, a: a.amax(1))
calls("a.max(1)", 0.8, SQUARE)(lambda F, a: a.max(1))
calls("a.argmax(1)", 0.8, SQUARE)(lambda F, a: a.argmax(1))
calls("(a > 0).all()", 0.8, SQUARE)(lambda F, a: (a > 0).all())
calls("softmax(a, 1)", 0.8, SQUARE)(lambda F, a: F.softmax(a, 1))
calls("log_softmax(a, -1)", 0.8, SQUARE)(lambda F, a: F.log_softmax(a, -1))
calls("softmax(a, -1), 32×10", 0.8, (32, 10))(lambda F, a: F.softmax(a, -1))
calls("cat((a, b))", 1.0, SQUARE, SQUARE)(lambda F, a, b: F.cat((a, b)))
calls("cat((a, b), 1)", 1.0, SQUARE, SQUARE)(lambda F, a, b: F.cat((a, b), 1))
calls("cat((a, b, c))", 1.0, SQUARE, SQUARE, SQUARE)(lambda F, a, b, c: F.cat((a, b, c)))
calls("cat((a, b, c, d), 1)", 1.0, SQUARE, SQUARE, SQUARE, SQUARE)(lambda F, a, b, c, d: F.cat((a, b, c, d), 1))
calls("stack((a, b, c))", 1.0, SQUARE, SQUARE, SQUARE)(lambda F, a, b, c: F.stack((a, b, c)))
calls("stack((a, b))", 1.0, SQUARE, SQUARE)(lambda F, a, b: F.stack((a, b)))
calls("a @ v", 0.6, SQUARE, (4,))(lambda F, a, v: a @ v)
calls("v @ v", 0.6, (4,), (4,))(lambda F, v, w: v @ w)
calls("a @ b.t()", 0.6, SQUARE, SQUARE)(lambda F, a, b: a @ b.t())
calls("matmul(a, b)", 0.6, SQUARE, SQUARE)(lambda F, a, b: F.matmul(a, b))
calls("a.mul_(1.0)", 0.5, SQUARE)(lambda F, a: a.mul_(1.0))
calls("a.add_(0)", 0.5, SQUARE)(lambda F, a: a.add_(0))
calls("a.mul_(row)", 0.8, SQUARE, (4,))(lambda F, a, row: a.mul_(row))
calls("a.relu_()", 0.8, SQUARE)(lambda F, a: a.relu_())
calls("a.clamp(0, 1)", 0.8, SQUARE)(lambda F, a: a.clamp(0, 1))
calls("a.clamp(0.1, 0.5), 1,024", 0.8, (1024,))(lambda F, a: a.clamp(0.1, 0.5))
calls("a.clamp(min=0.5), 1,024", 0.8, (1024,))(lambda F, a: a.clamp(min=0.5))
calls("a.clamp_(0.1, 0.5), 1,024", 0.8, (1024,))(lambda F, a: a.clamp_(0.1, 0.5))
