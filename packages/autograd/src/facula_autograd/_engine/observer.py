"""The observer of backward passes, such as a profiler.

Note [Observed passes]
An observer runs each pass, and in it each rule, so that it knows when they begin and end, and on which thread. Without
an observer, a pass tests one variable and each node a local one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from .._graph.node import Node, Pairs

    class BackwardObserver(Protocol):
        """Runs backward passes and their rules, in the threads that run the passes."""

        def run_pass(self, run: Callable[..., None], *arguments: object) -> None:
            """Call `run(*arguments, self.run_rule)`; without the last argument, rules are not observed."""

        def run_rule(self, backward: Callable[..., Pairs], F: object, node: Node, g: object) -> Pairs:
            """Return `backward(F, node, g)`: the gradients that the rule of `node` passes on.

            `node.name()` is the operator's name and `node.seq` the node's number. The numbers of leaf nodes, which run
            the hooks of leaves, are fractions.
            """


current_observer: list[BackwardObserver | None] = [None]


def observe_backward(observer: BackwardObserver | None) -> BackwardObserver | None:
    """Let `observer` run the backward passes that begin from here on, in all threads, and return the former observer.

    None ends the observation. Passes that run at the time are not affected.

    >>> from facula_autograd import Variable
    >>> class Names:
    ...     def run_pass(self, run, *arguments):
    ...         run(*arguments, self.run_rule)
    ...
    ...     def run_rule(self, backward, F, node, g):
    ...         print(node.name())
    ...         return backward(F, node, g)
    >>> x = Variable(3.0, requires_grad=True)
    >>> former = observe_backward(Names())
    >>> (x * x).backward()
    mul
    >>> observe_backward(former) is not former
    True
    """
    former, current_observer[0] = current_observer[0], observer
    return former
