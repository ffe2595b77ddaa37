"""Where the tests of operators run: the device fixture."""

import pytest

import facula_tensor as ft


def _available(kind: str) -> str | None:
    """Why there is no device of this kind, or None."""
    try:
        ft.device(kind).backend
    except (RuntimeError, ValueError, NotImplementedError) as error:
        return str(error)
    return None


@pytest.fixture(params=["cpu", "meta", "cuda"])
def device(request):
    """Each device in turn; those that this machine has no backend for are skipped, with the reason."""
    reason = _available(request.param)
    if reason is not None:
        pytest.skip(reason)
    return request.param
