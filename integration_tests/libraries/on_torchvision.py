"""torchvision: models, transforms of both versions, and operators on boxes."""

from copy import deepcopy

import declared  # noqa: F401  before torchvision
import numpy as np
import torch
import torchvision
import torchvision.transforms.v2 as v2
from PIL import Image
from recorded import draw, fill, generator, integers, record, run_model, write
from torchvision import ops, transforms, tv_tensors
from torchvision.transforms import functional

MODELS = {
    "resnet18": {},
    "resnext50_32x4d": {},
    "mobilenet_v2": {},
    "mobilenet_v3_small": {},
    "efficientnet_b0": {},
    "densenet121": {},
    "googlenet": {"init_weights": False, "aux_logits": False},
    "squeezenet1_1": {},
    "shufflenet_v2_x0_5": {},
    "mnasnet0_5": {},
    "vgg11_bn": {},
    "convnext_tiny": {},
    "regnet_y_400mf": {},
    "vit_b_16": {"image_size": 32},
    "swin_t": {},
}

for name, options in MODELS.items():
    side = 32 if name.startswith("vit") else 64
    model = getattr(torchvision.models, name)(num_classes=10, **options)
    run_model(name, model, draw("images", 2, 3, side, side), classes=integers("labels", 10, 2))
model = torchvision.models.segmentation.fcn_resnet50(weights=None, weights_backbone=None, num_classes=4)
run_model("fcn_resnet50", model, draw("images", 2, 3, 32, 32), classes=integers("classes", 4, 2, 32, 32))
run_model("r3d_18", torchvision.models.video.r3d_18(num_classes=5), draw("video", 2, 3, 4, 16, 16))
extractor = torchvision.models._utils.IntermediateLayerGetter(
    torchvision.models.resnet18(), {"layer1": "a", "layer3": "b"}
)
fill(extractor, "extractor")
record("extracted", list(extractor.eval()(draw("images", 1, 3, 64, 64)).values()))

# Images from files and as tensors.
pixels = generator("pixels").integers(0, 256, (40, 50, 3), dtype=np.uint8)
picture = Image.fromarray(pixels)
ONE = {
    # Sizes at which no mean is exactly between two bytes, which PyTorch's float32 weights could round either way.
    "resize": transforms.Resize((23, 29)),
    "resize the shorter side": transforms.Resize(27),
    "crop": transforms.CenterCrop(24),
    "pad": transforms.Pad((1, 2, 3, 4), fill=7),
    "grey": transforms.Grayscale(3),
    "five crops": transforms.FiveCrop(16),
    "blur": transforms.GaussianBlur(5, sigma=(1.5, 1.5)),
    "rotate": transforms.RandomRotation((30, 30)),
    "flip": transforms.RandomHorizontalFlip(1.0),
    "affine": transforms.RandomAffine((10, 10), translate=None, scale=(0.8, 0.8), shear=(5, 5)),
    "invert": transforms.RandomInvert(1.0),
    "posterize": transforms.RandomPosterize(3, 1.0),
    "solarize": transforms.RandomSolarize(100, 1.0),
    "autocontrast": transforms.RandomAutocontrast(1.0),
    "equalize": transforms.RandomEqualize(1.0),
    "sharpness": transforms.RandomAdjustSharpness(2.0, 1.0),
}
as_tensor = transforms.ToTensor()(picture)
record("to tensor", as_tensor)
record("to picture", np.asarray(transforms.ToPILImage()(as_tensor)))
record("pil_to_tensor", functional.pil_to_tensor(picture))
record("normalized", transforms.Normalize([0.4, 0.5, 0.6], [0.2, 0.3, 0.4])(as_tensor))
bytes_ = functional.pil_to_tensor(picture)
for name, transform in ONE.items():
    found = transform(picture)
    record(f"{name} of a picture", [np.asarray(one) for one in found] if name == "five crops" else np.asarray(found))
    record(f"{name} of bytes", list(transform(bytes_)) if name == "five crops" else transform(bytes_))
for name in ("adjust_brightness", "adjust_contrast", "adjust_saturation", "adjust_gamma"):
    record(name, getattr(functional, name)(as_tensor, 1.4))
record("adjust_hue", functional.adjust_hue(as_tensor, 0.2))
record(
    "perspective",
    functional.perspective(as_tensor, [[0, 0], [49, 0], [49, 39], [0, 39]], [[3, 2], [45, 4], [48, 36], [2, 38]]),
)
composed = transforms.Compose([transforms.Resize(32), transforms.CenterCrop(32), transforms.ToTensor()])
record("composed", composed(picture))
random = [transforms.RandomResizedCrop(16), transforms.ColorJitter(0.4, 0.4, 0.4, 0.1), transforms.RandomErasing(1.0)]
torch.manual_seed(0)
record("shapes of random ones", [list(one(as_tensor).shape) for one in random])
record(
    "policies",
    [
        list(one(bytes_).shape)
        for one in (
            transforms.AutoAugment(),
            transforms.RandAugment(),
            transforms.TrivialAugmentWide(),
            transforms.AugMix(),
        )
    ],
)

TWO = {
    "resize": v2.Resize((20, 30), antialias=True),
    "crop": v2.CenterCrop(24),
    "pad": v2.Pad(3),
    "flip": v2.RandomHorizontalFlip(1.0),
    "rotate": v2.RandomRotation((30, 30)),
    "affine": v2.RandomAffine((10, 10), scale=(0.8, 0.8)),
    "grey": v2.Grayscale(),
    "blur": v2.GaussianBlur(3, sigma=(1.0, 1.0)),
    "float": v2.ToDtype(torch.float32, scale=True),
    "posterize": v2.RandomPosterize(3, 1.0),
    "equalize": v2.RandomEqualize(1.0),
    "sharpness": v2.RandomAdjustSharpness(2.0, 1.0),
}
boxes = tv_tensors.BoundingBoxes(
    torch.tensor([[4.0, 5.0, 20.0, 30.0], [10.0, 3.0, 45.0, 38.0]]), format="XYXY", canvas_size=(40, 50)
)
mask = tv_tensors.Mask(integers("mask", 3, 40, 50))
for name, transform in TWO.items():
    image, found, masked = transform(tv_tensors.Image(bytes_), boxes, mask)
    assert isinstance(image, tv_tensors.Image) and isinstance(found, tv_tensors.BoundingBoxes)
    record(f"v2 {name}", [torch.as_tensor(image), torch.as_tensor(found), torch.as_tensor(masked)])
    record(f"v2 {name}, canvas", list(found.canvas_size))
for name, kept in {
    "clone": boxes.clone(), "to": boxes.to(torch.float64), "detach": boxes.detach(), "deepcopy": deepcopy(boxes),
    "requires_grad_": boxes.clone().requires_grad_(False), "plain": boxes + 1, "element": boxes[0],
}.items():  # fmt: skip
    record(f"boxes after {name}", isinstance(kept, tv_tensors.BoundingBoxes))
record("cloned boxes flipped", torch.as_tensor(v2.functional.horizontal_flip(boxes.clone())))
record("v2 to image", v2.functional.to_image(picture))
record(
    "v2 mixed up",
    list(v2.CutMix(num_classes=3, alpha=1.0)(draw("images", 4, 3, 8, 8), integers("labels", 3, 4))[0].shape),
)
record("v2 clamped", torch.as_tensor(v2.ClampBoundingBoxes()(boxes)))
record("v2 converted", torch.as_tensor(v2.ConvertBoundingBoxFormat("CXCYWH")(boxes)))

# Operators.
corners = generator("corners").uniform(0, 30, (40, 2))
some = torch.from_numpy(np.concatenate([corners, corners + generator("sides").uniform(1, 20, (40, 2))], 1).astype("f4"))
scores = torch.from_numpy(generator("scores").permutation(40).astype("f4"))
for name in ("box_iou", "generalized_box_iou", "complete_box_iou", "distance_box_iou"):
    record(name, getattr(ops, name)(some[:5], some[5:12]))
record("nms", ops.nms(some, scores, 0.3))
record("batched_nms", ops.batched_nms(some, scores, integers("classes of boxes", 3, 40), 0.3))
record("box_area", ops.box_area(some))
record("box_convert", ops.box_convert(some, "xyxy", "cxcywh"))
record("clip_boxes", ops.clip_boxes_to_image(some, (30, 30)))
record("masks_to_boxes", ops.masks_to_boxes(integers("masks", 2, 3, 9, 9).bool()))
features = draw("features", 2, 3, 16, 16).requires_grad_()
regions = [some[:3] / 4, some[3:5] / 4]
found = ops.roi_align(features, regions, (3, 4), 1.0, 2, True)
(found * draw("slopes", *found.shape)).sum().backward()
record("roi_align", [found, features.grad])
record("sigmoid_focal_loss", ops.sigmoid_focal_loss(draw("a", 4, 5), integers("b", 2, 4, 5).float(), reduction="mean"))
record("giou loss", ops.generalized_box_iou_loss(some[:4], some[4:8], reduction="sum"))
record("stochastic depth", ops.stochastic_depth(draw("a", 4, 5), 0.0, "row"))
record("grid", torchvision.utils.make_grid(draw("images", 4, 3, 8, 8), nrow=2, normalize=True))
record("drawn boxes", torchvision.utils.draw_bounding_boxes(bytes_, boxes[:1], colors="red"))
record("drawn masks", torchvision.utils.draw_segmentation_masks(bytes_, mask.bool(), colors="blue"))
write()
