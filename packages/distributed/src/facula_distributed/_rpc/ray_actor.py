"""The Ray actor that keeps a worker's messages until the worker takes them. Ray pickles it: it imports only asyncio."""

from __future__ import annotations

import asyncio


class Mailbox:
    """Messages to one worker, in the order in which they arrive."""

    def __init__(self) -> None:
        self._messages: list[tuple[object, ...]] = []
        self._has_messages, self._end = asyncio.Event(), asyncio.Event()

    async def put(self, *message: object) -> None:
        """Add a message."""
        self._messages.append(message)
        self._has_messages.set()

    async def take(self) -> list[tuple[object, ...]]:
        """Wait until there are messages, and return all of them."""
        await self._has_messages.wait()
        self._has_messages.clear()
        messages, self._messages = self._messages, []
        return messages

    async def wait_for_end(self) -> None:
        """Never return: the caller learns when this actor ends."""
        await self._end.wait()
