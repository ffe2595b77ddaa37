"""torchvision operators that facula implements, compared with loops over every sample and every pair of boxes."""

import subprocess
import sys

import numpy as np
import pytest

import facula
from facula_errors.testing import raises

RANDOM = np.random.default_rng(0)
IMAGES = RANDOM.standard_normal((2, 3, 9, 11))
# Inside, across every edge, smaller than a pixel, empty, and far outside.
ROIS = np.array(
    [
        [0, 1.2, 2.3, 8.9, 7.1], [1, -3.0, -2.0, 4.0, 3.0], [0, 5.0, 4.0, 16.0, 14.0], [1, 3.3, 3.4, 3.6, 3.9],
        [1, 6.0, 6.0, 6.0, 6.0], [0, 40.0, 40.0, 45.0, 50.0], [1, 0.0, 0.0, 10.0, 8.0],
    ]
)  # fmt: skip


def pixel(image, y, x):
    """Return an interpolated pixel value, by the rules for samples outside the edges."""
    height, width = image.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    low_y, low_x = int(y), int(x)
    high_y, high_x = min(low_y + 1, height - 1), min(low_x + 1, width - 1)
    top = image[low_y, low_x] * (1 - (x - low_x)) + image[low_y, high_x] * (x - low_x)
    bottom = image[high_y, low_x] * (1 - (x - low_x)) + image[high_y, high_x] * (x - low_x)
    return top * (1 - (y - low_y)) + bottom * (y - low_y)


def align(images, rois, scale, bins_y, bins_x, ratio, aligned):
    """Return means of samples, computed one by one."""
    result = np.zeros((len(rois), images.shape[1], bins_y, bins_x))
    for k, (image, x1, y1, x2, y2) in enumerate(rois):
        x1, y1, x2, y2 = (value * scale - 0.5 * aligned for value in (x1, y1, x2, y2))
        width, height = x2 - x1, y2 - y1
        if not aligned:
            width, height = max(width, 1), max(height, 1)
        across = ratio if ratio > 0 else int(np.ceil(width / bins_x))
        down = ratio if ratio > 0 else int(np.ceil(height / bins_y))
        for c, i, j in np.ndindex(result.shape[1:]):
            values = [
                pixel(
                    images[int(image), c],
                    y1 + (i + (m + 0.5) / down) * height / bins_y,
                    x1 + (j + (n + 0.5) / across) * width / bins_x,
                )
                for m in range(down)
                for n in range(across)
            ]
            result[k, c, i, j] = sum(values) / max(len(values), 1)
    return result


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [2, 0, -1])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_aligned_regions(scale, ratio, aligned):
    expected = align(IMAGES, ROIS, scale, 3, 2, ratio, aligned)
    assert np.abs(expected).max() > 0.1
    options = (scale, 3, 2, ratio, aligned)
    images, rois = facula.tensor(IMAGES), facula.tensor(ROIS)
    np.testing.assert_allclose(facula.ops.torchvision.roi_align(images, rois, *options).numpy(), expected, atol=1e-12)
    for dtype, tolerance in ((facula.float32, 1e-5), (facula.bfloat16, 0.05)):
        found = facula.ops.torchvision.roi_align(images.to(dtype), rois.float(), *options)
        assert found.dtype is dtype
        np.testing.assert_allclose(found.double().numpy(), expected, atol=tolerance)


@pytest.mark.parametrize("ratio", [2, 0])
def test_gradients_of_aligned_regions(ratio):
    images = facula.tensor(IMAGES[:, :1], requires_grad=True)
    rois = facula.tensor(ROIS)

    def aligned(images):
        return facula.ops.torchvision.roi_align(images, rois, 0.8, 2, 3, ratio, True)

    assert facula.autograd.gradcheck(aligned, (images,)) and facula.autograd.gradgradcheck(aligned, (images,))
    assert aligned(images.to("meta")).shape == (len(ROIS), 1, 2, 3)


def suppress(boxes, scores, threshold):
    """Suppress boxes greedily, pair by pair."""
    kept = []
    for i in sorted(range(len(boxes)), key=lambda i: -scores[i]):
        for j in kept:
            sides = np.minimum(boxes[i, 2:], boxes[j, 2:]) - np.maximum(boxes[i, :2], boxes[j, :2])
            common = np.prod(np.maximum(sides, 0))
            union = np.prod(boxes[i, 2:] - boxes[i, :2]) + np.prod(boxes[j, 2:] - boxes[j, :2]) - common
            if union > 0 and common / union > threshold:
                break
        else:
            kept.append(i)
    return kept


@pytest.mark.parametrize("dtype", [facula.float32, facula.float64])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, 1.0])
def test_suppressed_boxes(threshold, dtype):
    corners = RANDOM.uniform(0, 20, (60, 2))
    boxes = np.concatenate([corners, corners + RANDOM.uniform(0, 15, (60, 2))], 1).astype("f4")
    boxes[7] = boxes[8]
    boxes[9, 2:] = boxes[9, :2]  # boxes of no area
    scores = RANDOM.permutation(60).astype("f4")
    scores[20:24] = 5.0  # ties keep their order
    expected = suppress(boxes.astype("f8"), scores, threshold)
    found = facula.ops.torchvision.nms(facula.tensor(boxes).to(dtype), facula.tensor(scores).to(dtype), threshold)
    assert found.dtype is facula.int64 and found.tolist() == expected
    assert 0 < len(expected) < 60 or threshold == 1.0


def test_empty_inputs():
    assert facula.ops.torchvision.nms(facula.zeros(0, 4), facula.zeros(0), 0.5).shape == (0,)
    found = facula.ops.torchvision.roi_align(facula.zeros(1, 2, 4, 4), facula.zeros(0, 5), 1.0, 2, 2, 0, False)
    assert found.shape == (0, 2, 2, 2)


REFUSED = {
    "boxes of three numbers": (lambda ops: ops.nms(facula.zeros(2, 3), facula.zeros(2), 0.5), "nms: (2, 3)"),
    "scores of others": (lambda ops: ops.nms(facula.zeros(2, 4), facula.zeros(3), 0.5), "nms: (3,)"),
    "one image": (
        lambda ops: ops.roi_align(facula.zeros(3, 4, 4), facula.zeros(1, 5), 1.0, 2, 2, 0, False),
        "roi_align: expected images ... (3, 4, 4)",
    ),
    "no such image": (
        lambda ops: ops.roi_align(facula.zeros(1, 3, 4, 4), facula.ones(1, 5), 1.0, 2, 2, 0, False),
        "roi_align: expected indices of 1 images",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_arguments_are_refused(what):
    call, message = REFUSED[what]
    with raises(ValueError, message):
        call(facula.ops.torchvision)


EXTENSION = """
import torch
loaded = True
try:
    torch.ops.load_library("torchvision/_C.so")
except OSError:
    loaded = False

def _has_ops():
    return loaded

def _assert_has_ops():
    if not _has_ops():
        raise RuntimeError("torchvision's library is not loaded")
"""
PROGRAM = """
import sys
import torch
@torch.library.register_fake("torchvision::nms")
def fake(dets, scores, iou_threshold):
    raise NotImplementedError("its length depends on values")
from torchvision.extension import _assert_has_ops, loaded
_assert_has_ops()
assert [one.name for one in sys.meta_path if ".companions" in type(one).__module__] == ["einops._backends"]
print(loaded, torch.ops.torchvision.nms(torch.tensor([[0.0, 0, 2, 2]]), torch.ones(1), 0.5).tolist())
try:
    torch.ops.torchvision.nms(torch.zeros(1, 4, device="meta"), torch.zeros(1, device="meta"), 0.5)
except NotImplementedError as error:
    print(error)
for name in ("roi_pool", "ps_roi_align", "deform_conv2d"):
    operator = getattr(torch.ops.torchvision, name)
    try:
        operator(torch.ones(2), 1)
    except NotImplementedError as error:
        print(error)
print(hasattr(torch.ops.torchvision, "_cuda_version"), hasattr(torch.ops.detectron2, "nms_rotated"))
"""


def test_torchvision_calls_them_instead_of_its_library(tmp_path):
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "extension.py").write_text(EXTENSION)
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "facula", "run", str(script)], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "False [0]",
        "its length depends on values",
        *(
            f"ops.torchvision.{name}: PyTorch has it, facula not yet; "
            "of torchvision's operators there are nms, roi_align"
            for name in ("roi_pool", "ps_roi_align", "deform_conv2d")
        ),
        "False False",
    ], done.stderr
