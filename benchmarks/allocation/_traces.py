"""Traces of programs that train and serve, derived from layer shapes: the same numbers each time."""

from __future__ import annotations

import random
from collections import deque

from facula_allocator.traces import Allocate, Complete, Event, Free, Mark, Trace, Use

FLOAT, HALF = 4, 2
COMPUTE, COPY = 0, 1


class Program:
    """Recorded requests of a program to an allocator. A stream's work completes `lag` requests after it was queued."""

    def __init__(self, seed: int = 0, lag: int = 40):
        self.draw = random.Random(seed)
        self.events: list[Event] = []
        self.lag = lag
        self.streams: set[int] = set()
        self.requests = 0
        self._ids = 0

    def take(self, nbytes: int, stream: int = COMPUTE) -> int:
        """Allocate a block and return its number."""
        self.events.append(Allocate(self._ids, nbytes, stream, None))
        self._ids += 1
        self._served(stream)
        return self._ids - 1

    def drop(self, *blocks: int) -> None:
        """Free blocks."""
        for block in blocks:
            self.events.append(Free(block))
            self._served(None)

    def use(self, block: int, stream: int) -> None:
        """Use a block on another stream."""
        self.streams.add(stream)
        self.events.append(Use(block, stream))

    def mark(self, step: int) -> None:
        """Begin a step."""
        self.events.append(Mark(f"step {step}"))

    def trace(self) -> Trace:
        """Return the complete trace."""
        return Trace(512, None, {}, [], self.events)

    def _served(self, stream: int | None) -> None:
        self.requests += 1
        if stream is not None:
            self.streams.add(stream)
        if len(self.streams) > 1 and self.requests > self.lag and not self.requests % 4:
            self.events += [Complete(one, self.requests - self.lag) for one in sorted(self.streams)]


class Model:
    """The memory of a transformer that Adam trains in mixed precision."""

    def __init__(self, program: Program, layers: int, width: int, heads: int, vocabulary: int):
        self.program, self.width, self.heads, self.vocabulary = program, width, heads, vocabulary
        shapes = [4 * width * width, 8 * width * width, 4 * width]
        self.weights = [count for _ in range(layers) for count in shapes] + [vocabulary * width]
        self.layers = layers
        for count in self.weights:
            for _ in range(3):  # the weight and both moments
                program.take(count * FLOAT)
        self.gradients: list[int] = []

    def forward(self, batch: int, length: int) -> list[list[int]]:
        """Allocate the saved activations, layer by layer."""
        program, tokens = self.program, batch * length
        kept = []
        for _ in range(self.layers):
            normed = program.take(tokens * self.width * HALF)
            qkv = program.take(3 * tokens * self.width * HALF)
            scores = program.take(batch * self.heads * length * length * HALF)
            softmax = program.take(batch * self.heads * length * length * HALF)
            program.drop(scores)
            mixed = program.take(tokens * self.width * HALF)
            wide = program.take(4 * tokens * self.width * HALF)
            active = program.take(4 * tokens * self.width * HALF)
            out = program.take(tokens * self.width * HALF)
            kept.append([normed, qkv, softmax, mixed, wide, active, out])
        logits = program.take(tokens * self.vocabulary * HALF)
        loss = program.take(tokens * FLOAT)
        kept.append([logits, loss])
        return kept

    def backward(self, kept: list[list[int]], batch: int, length: int) -> None:
        """Allocate gradients: those of activations are temporary, those of weights remain."""
        program, tokens = self.program, batch * length
        flowing = program.take(tokens * self.vocabulary * HALF)
        program.drop(*kept.pop())
        first = not self.gradients
        made: list[int] = []
        for number, layer in enumerate(reversed(kept)):
            nxt = program.take(tokens * self.width * HALF)
            program.drop(flowing)
            wide = program.take(4 * tokens * self.width * HALF)
            program.drop(layer.pop(), layer.pop())
            scores = program.take(batch * self.heads * length * length * HALF)
            program.drop(layer.pop(), layer.pop(), wide)
            for count in self.weights[3 * number : 3 * number + 3]:
                one = program.take(count * FLOAT)
                if first:
                    made.append(one)
                else:
                    program.drop(one)  # added to the existing gradient
            program.drop(scores, *layer)
            flowing = nxt
        kept.clear()
        if first:
            made.append(program.take(self.weights[-1] * FLOAT))
            self.gradients = made
        program.drop(flowing)

    def step(self) -> None:
        """Step the optimizer: temporary memory, then free the gradients."""
        for count in self.weights:
            self.program.drop(self.program.take(count * FLOAT))
        self.program.drop(*self.gradients)
        self.gradients = []


def random_lengths(steps: int = 40) -> Trace:
    """A transformer trained on batches of random lengths."""
    program = Program(1)
    model = Model(program, layers=8, width=768, heads=12, vocabulary=8000)
    for step in range(steps):
        program.mark(step)
        length = program.draw.randint(40, 512)
        model.backward(model.forward(8, length), 8, length)
        model.step()
    return program.trace()


def gradient_accumulation(steps: int = 10) -> Trace:
    """Four small batches of different lengths for each optimizer step, and an occasional evaluation."""
    program = Program(2)
    model = Model(program, layers=12, width=512, heads=8, vocabulary=6000)
    for step in range(steps):
        program.mark(step)
        for _ in range(4):
            length = program.draw.choice([128, 192, 256, 384])
            model.backward(model.forward(4, length), 4, length)
        model.step()
        if step % 4 == 3:
            for layer in model.forward(8, 256):
                program.drop(*layer)
    return program.trace()


def two_streams(steps: int = 60) -> Trace:
    """Batches copied on one stream and used on another, which sends gradients in buckets."""
    program = Program(3)
    model = Model(program, layers=6, width=512, heads=8, vocabulary=4000)
    ahead: deque[tuple[int, int, list[int]]] = deque()
    for step in range(steps):
        program.mark(step)
        while len(ahead) < 3:
            length = program.draw.randint(64, 320)
            parts = [program.take(8 * length * 2048, COPY), program.take(8 * length * 8, COPY)]
            ahead.append((8, length, parts))
        batch, length, parts = ahead.popleft()
        for part in parts:
            program.use(part, COMPUTE)
        model.backward(model.forward(batch, length), batch, length)
        program.drop(*parts)
        for _ in range(4):
            bucket = program.take(6 << 20)
            program.use(bucket, COPY)
            sent = program.take(6 << 20, COPY)
            program.use(sent, COMPUTE)
            program.drop(bucket, sent)
        model.step()
    return program.trace()


def growing_cache(steps: int = 700) -> Trace:
    """Requests to a language model: keys and values of each layer grow with every token, until a request ends."""
    program = Program(4)
    for count in [40 << 20] * 12:
        program.take(count)
    running: list[tuple[int, int, list[int]]] = []  # length, last length, cache
    for step in range(steps):
        program.mark(step)
        if len(running) < 6 and program.draw.random() < 0.15:
            length = program.draw.randint(20, 400)
            cache = [program.take(length * 1024 * HALF * 2) for _ in range(12)]
            running.append((length, length + program.draw.randint(30, 300), cache))
        going = []
        for length, last, cache in running:
            scratch = program.take(4096 * HALF * 4)
            for layer, old in enumerate(cache):
                cache[layer] = program.take((length + 1) * 1024 * HALF * 2)
                program.drop(old)
            program.drop(scratch)
            if length + 1 < last:
                going.append((length + 1, last, cache))
            else:
                program.drop(*cache)
        running = going
    return program.trace()


def digits(epochs: int = 8) -> Trace:
    """A convolutional network on 8×8 digits, 1,797 of them in batches of 256, by Adam."""
    program = Program(5)
    shapes = [(1, 32, 9, 64), (32, 64, 9, 64), (64, 64, 9, 16), (1024, 128, 1, 1), (128, 10, 1, 1)]  # indices: the last
    weights = [one for inside, out, window, _ in shapes for one in (inside * out * window, out)]
    for count in weights:
        for _ in range(3):
            program.take(count * FLOAT)
    for epoch in range(epochs):
        for start in range(0, 1797, 256):
            program.mark(epoch)
            batch = min(256, 1797 - start)
            kept = [program.take(batch * 64 * FLOAT), program.take(batch * 8)]
            for _, out, _, places in shapes:
                linear = program.take(batch * out * places * FLOAT)
                kept += [linear, program.take(batch * out * places * FLOAT)]
            kept.append(program.take(FLOAT))
            gradients = []
            flowing = program.take(batch * 10 * FLOAT)
            for inside, out, window, places in reversed(shapes):
                gradients += [program.take(inside * out * window * FLOAT), program.take(out * FLOAT)]
                nxt = program.take(batch * inside * places * FLOAT)
                program.drop(flowing, kept.pop(), kept.pop())
                flowing = nxt
            program.drop(flowing, *kept)
            program.drop(program.take(sum(weights) * FLOAT))
            program.drop(*gradients)
    return program.trace()


TRACES = {
    "random lengths": random_lengths,
    "two streams": two_streams,
    "growing cache": growing_cache,
    "accumulation": gradient_accumulation,
    "digits": digits,
}
