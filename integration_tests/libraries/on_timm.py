"""timm: thirty architectures, its optimizers, schedules, losses and augmentation."""

import declared  # noqa: F401  before torchvision, which timm imports
import timm
import timm.data
import timm.loss
import timm.optim
import timm.scheduler
import timm.utils
import torch
from recorded import draw, fill, integers, record, run_model, write

MODELS = """
resnet18 resnet10t resnetv2_18 seresnet18 skresnet18 regnetx_002 regnety_002 mobilenetv2_050 mobilenetv3_small_050
mobilenetv4_conv_small_035 tf_efficientnet_lite0 mixnet_s mnasnet_small ghostnet_050 lcnet_035 tinynet_e repghostnet_050
convnext_atto convnextv2_atto edgenext_xx_small mobilevit_xxs mobilevitv2_050 poolformerv2_s12 fasternet_t0
efficientvit_b0 starnet_s1 ghostnetv2_100 xcit_nano_12_p16_224 vit_tiny_patch16_224 deit_tiny_patch16_224 mixer_s32_224
gmlp_ti16_224 resmlp_12_224
""".split()
SIZED = ("vit", "deit", "mixer", "gmlp", "resmlp")  # their weights depend on the image size

for name in MODELS:
    options = {"img_size": 64} if name.startswith(SIZED) else {}
    model = timm.create_model(name, num_classes=7, **options)
    run_model(name, model, draw("images", 2, 3, 64, 64), classes=integers("labels", 7, 2))

features = timm.create_model("resnet18", features_only=True, out_indices=(1, 3))
fill(features, "features")
record("features", features.eval()(draw("images", 1, 3, 32, 32)))
record("features, channels", features.feature_info.channels())

# A few steps with each optimizer.
for name in (
    "sgd",
    "adamw",
    "lamb",
    "lion",
    "madgrad",
    "radabelief",
    "adabelief",
    "nadamw",
    "adafactor",
    "adan",
    "rmsproptf",
    "novograd",
):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).double()
    fill(model, "optimizer")
    optimizer = timm.optim.create_optimizer_v2(model, opt=name, lr=0.01, weight_decay=0.01)
    schedule = timm.scheduler.CosineLRScheduler(optimizer, t_initial=6, warmup_t=2, warmup_lr_init=1e-3)
    for step in range(4):
        optimizer.zero_grad()
        model(draw("rows", 5, 4).double()).square().mean().backward()
        optimizer.step()
        schedule.step(step)
    record(f"after {name}", list(model.parameters()))
    record(f"rate of {name}", optimizer.param_groups[0]["lr"])

logits, labels = draw("logits", 6, 5), integers("classes", 5, 6)
record("label smoothing", timm.loss.LabelSmoothingCrossEntropy(0.1)(logits, labels))
record("soft targets", timm.loss.SoftTargetCrossEntropy()(logits, draw("targets", 6, 5).softmax(1)))
record("asymmetric", timm.loss.AsymmetricLossMultiLabel()(logits, (draw("many", 6, 5) > 0).float()))
record("accuracy", timm.utils.accuracy(logits, labels, topk=(1, 3)))
average = timm.utils.ModelEmaV3(torch.nn.Linear(3, 2), decay=0.9)
fill(average, "average")
other = torch.nn.Linear(3, 2)
fill(other, "other")
average.update(other)
record("averaged", average.module.weight)
transform = timm.data.create_transform(32, is_training=False)
from PIL import Image
from recorded import generator

picture = Image.fromarray(generator("picture").integers(0, 256, (40, 50, 3), dtype="uint8"))
record("prepared", transform(picture))
write()
