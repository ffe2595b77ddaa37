"""torchmetrics: metrics of classification, regression, text, images, retrieval and clustering, in batches."""

import declared  # noqa: F401  before torchvision, which torchmetrics imports
import torch
import torchmetrics
from recorded import draw, generator, integers, record, write
from torchmetrics import classification, functional, image, regression, retrieval, text

CLASSES = {"task": "multiclass", "num_classes": 5}
labels = integers("labels", 5, 3, 20)
scores = draw("scores", 3, 20, 5).softmax(-1)
for name in (
    "Accuracy", "Precision", "Recall", "F1Score", "Specificity", "AUROC", "AveragePrecision", "ConfusionMatrix",
    "CohenKappa", "MatthewsCorrCoef", "CalibrationError", "JaccardIndex", "HammingDistance", "ExactMatch", "StatScores",
    "HingeLoss",
):  # fmt: skip
    if name == "ExactMatch":
        metric = classification.MulticlassExactMatch(num_classes=5)
        batches = [(draw(f"a {k}", 20, 3, 5).argmax(-1), integers(f"b {k}", 5, 20, 3)) for k in range(3)]
    else:
        metric, batches = getattr(torchmetrics, name)(**CLASSES), list(zip(scores, labels, strict=True))
    for found, wanted in batches:
        record(f"{name} of a batch", metric(found, wanted))
    record(name, metric.compute())
    metric.reset()
    metric.update(*batches[0])
    record(f"{name} anew", metric.compute())
for name in ("Accuracy", "F1Score", "AUROC", "ROC", "PrecisionRecallCurve", "AveragePrecision"):
    metric = getattr(torchmetrics, name)(task="binary")
    for k in range(3):
        metric.update(draw(f"binary {k}", 20).sigmoid(), integers(f"of two {k}", 2, 20))
    record(f"binary {name}", metric.compute())
for name in ("Accuracy", "F1Score", "AUROC"):
    metric = getattr(torchmetrics, name)(task="multilabel", num_labels=4)
    metric.update(draw("many", 20, 4).sigmoid(), integers("of many", 2, 20, 4))
    record(f"multilabel {name}", metric.compute())
for name in (
    "MeanSquaredError", "MeanAbsoluteError", "R2Score", "PearsonCorrCoef", "SpearmanCorrCoef", "ExplainedVariance",
    "CosineSimilarity", "ConcordanceCorrCoef", "KendallRankCorrCoef", "LogCoshError", "MeanAbsolutePercentageError",
    "TweedieDevianceScore",
):  # fmt: skip
    metric = getattr(regression, name)()
    for k in range(3):
        one, other = draw(f"one {k}", 16), draw(f"other {k}", 16)
        metric.update(*((one[None], other[None]) if name == "CosineSimilarity" else (one, other)))
    record(name, metric.compute())
collection = torchmetrics.MetricCollection(
    {"accuracy": torchmetrics.Accuracy(**CLASSES), "f1": torchmetrics.F1Score(**CLASSES, average="macro")}, prefix="of "
)
for found, wanted in zip(scores, labels, strict=True):
    collection.update(found, wanted)
record("collection", [value for _, value in sorted(collection.compute().items())])
for name in ("MeanMetric", "SumMetric", "MaxMetric", "MinMetric", "CatMetric"):
    metric = getattr(torchmetrics, name)()
    metric.update(draw("values", 7))
    metric.update(2.5)
    record(name, metric.compute())
running = torchmetrics.wrappers.Running(torchmetrics.SumMetric(), window=2)
record("running", [running(value) for value in (1.0, 2.0, 3.0)])
tracker = torchmetrics.wrappers.MetricTracker(torchmetrics.Accuracy(**CLASSES))
for found, wanted in zip(scores, labels, strict=True):
    tracker.increment()
    tracker.update(found, wanted)
record("tracked", tracker.compute_all())
record("sum of two", (torchmetrics.SumMetric() + torchmetrics.MeanMetric())(draw("values", 7)))

one = draw("images", 2, 3, 32, 32).sigmoid()
other = 0.7 * one + 0.3 * draw("other images", 2, 3, 32, 32).sigmoid()
record("psnr", image.PeakSignalNoiseRatio(data_range=1.0)(one, other))
record("ssim", image.StructuralSimilarityIndexMeasure(data_range=1.0)(one, other))
record("variation", image.TotalVariation()(one))
record("uqi", image.UniversalImageQualityIndex()(one, other))
record("sam", image.SpectralAngleMapper()(one, other))
record("ergas", image.ErrorRelativeGlobalDimensionlessSynthesis()(one, other))
record("words wrong", text.WordErrorRate()(["this is it"], ["this was it"]))
record("bleu", text.BLEUScore()(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]]))
record("edits", text.EditDistance()(["rain"], ["shine"]))
record("perplexity", text.Perplexity()(draw("words", 2, 6, 9), integers("ids", 9, 2, 6)))
places = integers("queries", 4, 20)
for name in ("RetrievalMAP", "RetrievalMRR", "RetrievalNormalizedDCG", "RetrievalPrecision"):
    record(name, getattr(retrieval, name)()(draw("ranks", 20).sigmoid(), integers("relevant", 2, 20), indexes=places))
record("pairs", functional.pairwise_cosine_similarity(draw("rows", 4, 3)))
record("distances", functional.pairwise_euclidean_distance(draw("rows", 4, 3)))
record("snr", functional.signal_noise_ratio(draw("signal", 100), draw("noise", 100)))
record("si-sdr", functional.scale_invariant_signal_distortion_ratio(draw("signal", 100), draw("noise", 100)))
boxes = torch.from_numpy(generator("boxes").uniform(0, 30, (6, 4)).astype("f4"))
boxes[:, 2:] += boxes[:, :2]
record("iou", torchmetrics.detection.IntersectionOverUnion()(
    [{"boxes": boxes[:3], "scores": torch.ones(3), "labels": torch.tensor([0, 1, 0])}],
    [{"boxes": boxes[3:], "labels": torch.tensor([0, 1, 0])}],
)["iou"])  # fmt: skip
write()
