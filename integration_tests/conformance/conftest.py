"""Transfer of objects from one library to the other."""

import io

import pytest
import torch

import facula


@pytest.fixture(params=["zip", "legacy"])
def across(request):
    """Return a function that transfers an object from one library to the other through a file."""

    def crossed(value, theirs):
        file = io.BytesIO()
        if theirs:
            torch.save(value, file, _use_new_zipfile_serialization=request.param == "zip")
            file.seek(0)
            return facula.load(file)
        facula.save(value, file)
        file.seek(0)
        return torch.load(file, weights_only=False)

    return crossed
