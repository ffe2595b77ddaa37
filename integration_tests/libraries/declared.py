"""For PyTorch: operators of torchvision, whose compiled library requires CUDA, declared before it is imported."""

from importlib import import_module

import torch
from recorded import FACULA

if not FACULA:
    library = torch.library.Library("torchvision", "DEF")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

    def nms(dets, scores, iou_threshold):
        """Suppress boxes greedily, pair by pair."""
        overlaps = import_module("torchvision.ops").box_iou(dets, dets)
        kept = []
        for i in scores.argsort(descending=True, stable=True).tolist():
            if all(overlaps[i, j] <= iou_threshold for j in kept):
                kept.append(i)
        return torch.tensor(kept, dtype=torch.int64)

    library.impl("nms", nms, "CPU")

    import_module("torchvision.ops.boxes")._assert_has_ops = lambda: None
    # In plain Python, since torchvision would compile its own function.
    roi_align = import_module("torchvision.ops.roi_align")
    roi_align._roi_align = roi_align._roi_align.__wrapped__
