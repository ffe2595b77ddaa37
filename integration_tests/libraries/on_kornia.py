"""kornia: colours, filters, geometry, features, losses, morphology and augmentation."""

import declared  # noqa: F401  before torchvision
import kornia
import numpy as np
import torch
from kornia import augmentation, color, enhance, feature, filters, geometry, losses, metrics, morphology
from recorded import draw, generator, integers, record, write

picture = draw("picture", 2, 3, 20, 24).sigmoid()
grey = picture.mean(1, keepdim=True)
for name in (
    "rgb_to_grayscale",
    "rgb_to_hsv",
    "rgb_to_hls",
    "rgb_to_lab",
    "rgb_to_luv",
    "rgb_to_xyz",
    "rgb_to_ycbcr",
    "rgb_to_yuv",
    "rgb_to_bgr",
    "rgb_to_linear_rgb",
):
    record(name, getattr(color, name)(picture))
for name in ("hsv_to_rgb", "lab_to_rgb", "ycbcr_to_rgb", "yuv_to_rgb", "sepia"):
    record(name, getattr(color, name)(picture))
FILTERS = {
    "gaussian_blur2d": lambda x: filters.gaussian_blur2d(x, (5, 5), (1.5, 1.5)),
    "box_blur": lambda x: filters.box_blur(x, (3, 3)),
    "median_blur": lambda x: filters.median_blur(x, (3, 3)),
    "sobel": filters.sobel,
    "laplacian": lambda x: filters.laplacian(x, 3),
    "spatial_gradient": filters.spatial_gradient,
    "canny": lambda x: filters.canny(x)[0],
    "unsharp_mask": lambda x: filters.unsharp_mask(x, (3, 3), (1.0, 1.0)),
    "motion_blur": lambda x: filters.motion_blur(x, 5, 30.0, 1.0),
    "bilateral_blur": lambda x: filters.bilateral_blur(x, (3, 3), 0.1, (1.5, 1.5)),
    "guided_blur": lambda x: filters.guided_blur(x, x, 3, 0.1),
    "otsu": lambda x: filters.otsu_threshold(x)[1] if hasattr(filters, "otsu_threshold") else x,
}
for name, function in FILTERS.items():
    record(name, function(grey))
ENHANCED = {
    "brightness": lambda x: enhance.adjust_brightness(x, 0.2),
    "contrast": lambda x: enhance.adjust_contrast(x, 0.7),
    "hue": lambda x: enhance.adjust_hue(x, 0.3),
    "saturation": lambda x: enhance.adjust_saturation(x, 1.5),
    "gamma": lambda x: enhance.adjust_gamma(x, 2.2),
    "equalize": enhance.equalize,
    "clahe": lambda x: enhance.equalize_clahe(x, 40.0, (2, 2)),
    "sharpness": lambda x: enhance.sharpness(x, 0.6),
    "solarize": lambda x: enhance.solarize(x, 0.5),
    "posterize": lambda x: enhance.posterize(x, 3),
    "normalize": lambda x: enhance.normalize(x, torch.tensor([0.5, 0.4, 0.3]), torch.tensor([0.2, 0.3, 0.4])),
    "histogram": lambda x: enhance.histogram(x[:, 0].flatten(1), torch.linspace(0, 1, 8), torch.tensor(0.1)),
}
for name, function in ENHANCED.items():
    record(name, function(picture))
turn = torch.tensor([30.0, -10.0])
record("rotate", geometry.rotate(picture, turn))
record("translate", geometry.translate(picture, torch.tensor([[2.0, 1.0], [-3.0, 0.5]])))
record("scale", geometry.scale(picture, torch.tensor([1.2, 0.8])))
record("shear", geometry.shear(picture, torch.tensor([[0.1, 0.0], [0.0, 0.2]])))
record("resize", geometry.resize(picture, (10, 12), antialias=False))
record("pyramid", geometry.build_pyramid(picture, 3))
record("flips", [geometry.hflip(picture), geometry.vflip(picture), geometry.rot180(picture)])
source = torch.tensor([[[0.0, 0.0], [23.0, 0.0], [23.0, 19.0], [0.0, 19.0]]]).repeat(2, 1, 1)
target = source + draw("moved", 2, 4, 2)
matrix = geometry.get_perspective_transform(source, target)
record("perspective", [matrix, geometry.warp_perspective(picture, matrix, (20, 24))])
record("homography", geometry.find_homography_dlt(draw("a", 2, 8, 2), draw("b", 2, 8, 2)))
record(
    "affine",
    geometry.warp_affine(
        picture, geometry.get_rotation_matrix2d(torch.tensor([[12.0, 10.0]] * 2), turn, torch.ones(2, 2)), (20, 24)
    ),
)
angles = draw("axes", 3, 3)
rotation = geometry.axis_angle_to_rotation_matrix(angles)
record(
    "rotations",
    [rotation, geometry.rotation_matrix_to_axis_angle(rotation), geometry.rotation_matrix_to_quaternion(rotation)],
)
record("points", geometry.transform_points(torch.eye(4)[None], draw("points", 1, 5, 3)))
record("depth", geometry.depth_to_3d(grey[:1] + 1, torch.eye(3)[None]))
points = [draw(name, 1, 8, 2, dtype="float64") for name in ("p", "q")]  # a null vector, far from exact in float32
record("fundamental", geometry.epipolar.find_fundamental(*points, torch.ones(1, 8, dtype=torch.float64)).abs())
record("harris", feature.harris_response(grey))
record("gftt", feature.gftt_response(grey))
record("hessian", feature.hessian_response(grey))
record("sift", feature.SIFTDescriptor(32)(draw("patches", 3, 1, 32, 32)))
record("matched", list(feature.match_nn(draw("first", 6, 8), draw("second", 7, 8))))
record(
    "local features",
    feature.LAFOrienter(19)(feature.laf_from_center_scale_ori(torch.tensor([[[10.0, 9.0]]])), grey[:1]),
)
other = draw("other picture", 2, 3, 20, 24).sigmoid()
record("ssim loss", losses.ssim_loss(picture, other, 5))
record("psnr loss", losses.psnr_loss(picture, other, 1.0))
record("dice", losses.dice_loss(draw("logits", 2, 4, 6, 6), integers("classes", 4, 2, 6, 6)))
record("focal", losses.focal_loss(draw("logits", 2, 4, 6, 6), integers("classes", 4, 2, 6, 6), 0.5, reduction="mean"))
record("tversky", losses.tversky_loss(draw("logits", 2, 4, 6, 6), integers("classes", 4, 2, 6, 6), 0.5, 0.5))
record("lovasz", losses.lovasz_softmax_loss(draw("logits", 2, 4, 6, 6), integers("classes", 4, 2, 6, 6)))
record("variation", losses.total_variation(picture))
record("charbonnier", losses.charbonnier_loss(picture, other, reduction="mean"))
record("mean iou", metrics.mean_iou(integers("found", 3, 2, 9), integers("wanted", 3, 2, 9), 3))
kernel = torch.ones(3, 3)
for name in ("dilation", "erosion", "opening", "closing", "gradient", "top_hat", "bottom_hat"):
    record(name, getattr(morphology, name)(grey, kernel))
patches = kornia.contrib.extract_tensor_patches(picture, (8, 8), stride=(4, 4), padding=(2, 2))
record("patches", patches)
record("connected", kornia.contrib.connected_components((grey > 0.5).float(), 30))
record("distances", kornia.contrib.distance_transform((grey > 0.6).float()))
record("corners", kornia.geometry.subpix.spatial_softmax2d(grey))
record("soft argmax", kornia.geometry.subpix.spatial_soft_argmax2d(grey))
x = picture.clone().requires_grad_()
(geometry.rotate(filters.gaussian_blur2d(x, (3, 3), (1.0, 1.0)), turn) * draw("slopes", 2, 3, 20, 24)).sum().backward()
record("gradient", x.grad)
torch.manual_seed(0)
sequence = augmentation.AugmentationSequential(
    augmentation.RandomHorizontalFlip(p=1.0),
    augmentation.ColorJitter(0.1, 0.1, 0.1, 0.1, p=1.0),
    augmentation.RandomAffine(15.0, p=1.0),
    augmentation.RandomErasing(p=1.0),
    augmentation.RandomGaussianBlur((3, 3), (0.1, 2.0), p=1.0),
    augmentation.RandomPerspective(0.2, p=1.0),
    data_keys=["input", "mask"],
)
record("shapes of augmented", [list(one.shape) for one in sequence(picture, grey)])
flip = augmentation.AugmentationSequential(
    augmentation.RandomHorizontalFlip(p=1.0), augmentation.RandomVerticalFlip(p=1.0), data_keys=["input", "keypoints"]
)
record("flipped", list(flip(picture, draw("keypoints", 2, 3, 2))))
record(
    "image of an array", kornia.utils.image_to_tensor(generator("array").integers(0, 256, (4, 5, 3), dtype=np.uint8))
)
write()
