"""Objects of the library's classes, built with facula or, in the conformance session, with PyTorch."""

import multiprocessing
import re
import sys
import weakref
from copy import copy
from types import ModuleType

OWN_CLASSES = ModuleType("own_classes")  # module in which a program's classes are looked up


def with_note(value, own):
    """Return an object with a user attribute, or None if it accepts none.

    With `own`, the object's class is a program's subclass that has the same name for both libraries.
    """
    kind = type(value)
    plain = isinstance(value, (tuple, type)) or kind.__name__ == "Generator" or not hasattr(value, "__dict__")
    if plain or not is_of_library(kind):
        return None
    if own:
        class_ = type(f"Own{kind.__name__}", (kind,), {"__module__": OWN_CLASSES.__name__})
        setattr(OWN_CLASSES, class_.__name__, class_)
        sys.modules[OWN_CLASSES.__name__] = OWN_CLASSES
        value.__class__ = class_
    value.note = "kept"
    return value


def is_of_library(kind):
    """Return whether a class belongs to one of the libraries."""
    return kind.__module__.partition(".")[0].partition("_")[0] in ("torch", "facula")


def made_objects(library):
    """Return constructors of objects by name, and the names of those that no file for both libraries can contain."""
    nn, data, d = library.nn, library.utils.data, library.distributions
    x, c = d.transforms, d.constraints
    zeros, ones, eye = library.zeros(2), library.ones(2), library.eye(2)
    linear, dataset = nn.Linear(2, 2), data.TensorDataset(library.arange(3))

    def half(module):
        with library.no_grad():
            for value in module.state_dict().values():
                value.fill_(0.5)
        return module

    kept = {
        "AveragedModel": lambda: library.optim.swa_utils.AveragedModel(linear),
        "DataParallel": lambda: nn.DataParallel(linear),
        "PackedSequence": lambda: nn.utils.rnn.pack_sequence([library.ones(3, 2), library.ones(2, 2)]),
        "weight_norm": lambda: nn.utils.weight_norm(half(nn.Linear(2, 2)), dim=None),
        "spectral_norm": lambda: half(nn.utils.spectral_norm(half(nn.Linear(2, 2)))),
        "pruned": lambda: nn.utils.prune.ln_structured(half(nn.Linear(2, 2)), "weight", 0, 2, 0),
        "pruned twice": lambda: nn.utils.prune.identity(
            nn.utils.prune.custom_from_mask(half(nn.Linear(2, 2)), "weight", eye), "weight"
        ),
        "keys": lambda: linear.load_state_dict({}, strict=False),
        "TensorDataset": lambda: dataset,
        "Subset": lambda: data.Subset(dataset, [2, 0]),
        "ConcatDataset": lambda: data.ConcatDataset([dataset, dataset]),
        "ChainDataset": lambda: data.ChainDataset([dataset]),
        "StackDataset": lambda: data.StackDataset(dataset, dataset),
        "named StackDataset": lambda: data.StackDataset(a=dataset, b=dataset),
        "SequentialSampler": lambda: data.SequentialSampler(dataset),
        "BatchSampler": lambda: data.BatchSampler(data.SequentialSampler(dataset), 2, False),
        "RandomSampler": lambda: data.RandomSampler(dataset),
        "RandomSampler with replacement": lambda: data.RandomSampler(dataset, True, 5),
        "SubsetRandomSampler": lambda: data.SubsetRandomSampler([2, 1]),
        "WeightedRandomSampler": lambda: data.WeightedRandomSampler([1.0, 3.0], 1),
        "BatchSampler of RandomSampler": lambda: data.BatchSampler(data.RandomSampler(dataset), 2, False),
        "DistributedSampler": lambda: data.DistributedSampler(dataset, 2, 1, seed=3),
        "DataLoader": lambda: data.DataLoader(dataset),
        "DataLoader with options": lambda: data.DataLoader(
            dataset,
            2,
            True,
            num_workers=1,
            drop_last=True,
            timeout=3,
            prefetch_factor=4,
            persistent_workers=True,
            multiprocessing_context=multiprocessing.get_context("spawn"),
        ),
        "DataLoader of samples": lambda: data.DataLoader(dataset, None, sampler=[2, 0]),
        "DataLoader of batches": lambda: data.DataLoader(dataset, batch_sampler=[[2, 0], [1]], collate_fn=list),
        "DataLoader of a stream": lambda: data.DataLoader(data.ChainDataset([dataset]), 2),
        "DataLoader of a stream's samples": lambda: data.DataLoader(data.ChainDataset([dataset]), None),
        "GradScaler": lambda: library.amp.GradScaler("cpu", 4.0, 3.0, 0.25, 7),
        "GradScaler by its older name": lambda: library.cpu.amp.GradScaler(),
        "disabled GradScaler": lambda: library.cuda.amp.GradScaler(enabled=False),
        "Generator": lambda: library.Generator().manual_seed(5),
        "max": lambda: library.eye(3).max(1),
        "sort": lambda: library.eye(3).sort(),
        "topk": lambda: library.arange(5.0).topk(2),
        "frexp": lambda: library.frexp(ones),
        "svd": lambda: library.linalg.svd(eye),
        "slogdet": lambda: library.slogdet(eye),
        "aminmax": lambda: library.aminmax(eye),
        "Beta": lambda: d.Beta(ones, ones * 2),
        "Bernoulli": lambda: d.Bernoulli(ones / 3),
        "Bernoulli of logits": lambda: d.Bernoulli(logits=ones),
        "Binomial": lambda: d.Binomial(library.tensor(3), ones / 3),
        "Categorical": lambda: d.Categorical(ones),
        "Cauchy": lambda: d.Cauchy(zeros, ones),
        "Chi2": lambda: d.Chi2(ones * 3),
        "ContinuousBernoulli": lambda: d.ContinuousBernoulli(ones / 3),
        "ContinuousBernoulli of logits": lambda: d.ContinuousBernoulli(logits=ones),
        "Dirichlet": lambda: d.Dirichlet(ones),
        "Exponential": lambda: d.Exponential(ones),
        "ExpRelaxedCategorical": lambda: d.relaxed_categorical.ExpRelaxedCategorical(library.tensor(1.0), ones),
        "FisherSnedecor": lambda: d.FisherSnedecor(ones * 3, ones),
        "Gamma": lambda: d.Gamma(ones, ones),
        "GeneralizedPareto": lambda: d.GeneralizedPareto(zeros, ones, ones),
        "Geometric": lambda: d.Geometric(ones / 3),
        "HalfCauchy": lambda: d.HalfCauchy(ones * 2),
        "HalfNormal": lambda: d.HalfNormal(ones * 2),
        "Independent": lambda: d.Independent(d.Normal(zeros, ones), 1),
        "InverseGamma": lambda: d.InverseGamma(ones, ones * 2),
        "Kumaraswamy": lambda: d.Kumaraswamy(ones, ones * 2),
        "LKJCholesky": lambda: d.LKJCholesky(3, 0.5),
        "Laplace": lambda: d.Laplace(zeros, ones),
        "LogNormal": lambda: d.LogNormal(zeros, ones),
        "LowRankMultivariateNormal": lambda: d.LowRankMultivariateNormal(zeros, library.ones(2, 1), ones),
        "LogisticNormal": lambda: d.LogisticNormal(zeros, ones),
        "MixtureSameFamily": lambda: d.MixtureSameFamily(d.Categorical(ones), d.Normal(zeros, ones)),
        "Multinomial": lambda: d.Multinomial(3, ones),
        "Multinomial of logits": lambda: d.Multinomial(3, logits=ones),
        "MultivariateNormal": lambda: d.MultivariateNormal(zeros, eye * 2),
        "MultivariateNormal by precision": lambda: d.MultivariateNormal(zeros, precision_matrix=eye * 2),
        "NegativeBinomial": lambda: d.NegativeBinomial(ones, ones / 3),
        "Normal": lambda: d.Normal(zeros, ones),
        "unchecked Normal": lambda: d.Normal(zeros, ones, validate_args=False),
        "OneHotCategorical": lambda: d.OneHotCategorical(ones),
        "OneHotCategoricalStraightThrough": lambda: d.OneHotCategoricalStraightThrough(ones),
        "Pareto": lambda: d.Pareto(ones, ones * 2),
        "Poisson": lambda: d.Poisson(ones),
        "RelaxedBernoulli": lambda: d.RelaxedBernoulli(library.tensor(1.0), ones / 3),
        "RelaxedOneHotCategorical": lambda: d.RelaxedOneHotCategorical(library.tensor(1.0), ones),
        "StudentT": lambda: d.StudentT(ones * 3),
        "TransformedDistribution": lambda: d.TransformedDistribution(d.Normal(zeros, ones), [x.ExpTransform()]),
        "Uniform": lambda: d.Uniform(zeros, ones),
        "VonMises": lambda: d.VonMises(zeros, ones),
        "Weibull": lambda: d.Weibull(ones, ones * 2),
        "Wishart": lambda: d.Wishart(library.tensor(3.0), eye * 2),
        "constraints": lambda: [
            value for _, value in sorted(vars(c).items(), key=lambda one: one[0]) if isinstance(value, c.Constraint)
        ],
        "constraints with bounds": lambda: [
            c.interval(0, 1),
            c.half_open_interval(0, 1),
            c.integer_interval(0, 1),
            c.greater_than(0),
            c.less_than(1),
            c.greater_than_eq(0),
            c.multinomial(3),
            c.cat([c.real], 0, [2]),
            c.stack([c.real]),
            c.independent(c.positive, 1),
            c.MixtureSameFamilyConstraint(c.real),
        ],
        "AbsTransform": lambda: x.AbsTransform(),
        "AffineTransform": lambda: x.AffineTransform(1.0, 2.0),
        "CatTransform": lambda: x.CatTransform([x.ExpTransform(), x.TanhTransform()]),
        "ComposeTransform": lambda: x.ComposeTransform([x.ExpTransform(), x.TanhTransform()]),
        "CorrCholeskyTransform": lambda: x.CorrCholeskyTransform(),
        "CumulativeDistributionTransform": lambda: x.CumulativeDistributionTransform(d.Normal(0.0, 1.0)),
        "IndependentTransform": lambda: x.IndependentTransform(x.ExpTransform(), 1),
        "LowerCholeskyTransform": lambda: x.LowerCholeskyTransform(),
        "PowerTransform": lambda: x.PowerTransform(library.tensor(2.0)),
        "ReshapeTransform": lambda: x.ReshapeTransform((2,), (1, 2)),
        "cached SigmoidTransform": lambda: x.SigmoidTransform(cache_size=1),
        "SoftplusTransform": lambda: x.SoftplusTransform(),
        "SoftmaxTransform": lambda: x.SoftmaxTransform(),
        "StackTransform": lambda: x.StackTransform([x.ExpTransform()]),
        "StickBreakingTransform": lambda: x.StickBreakingTransform(),
    }
    refused = {
        "finfo": lambda: library.finfo(library.float32),
        "averages in place": lambda: library.optim.swa_utils.AveragedModel(
            linear, multi_avg_fn=library.optim.swa_utils.get_ema_multi_avg_fn(0.9)
        ),
        "method": lambda: linear.forward,
    }
    half(linear)
    return kept, refused


def described(value):
    """Convert a value to plain comparable objects: the names of classes, attributes, members and elements."""
    kind = type(value).__name__
    if hasattr(value, "tolist") and not kind.startswith("Uninitialized"):
        return kind, value.tolist() if not hasattr(value, "numel") or value.numel() < 10_000 else (
            value.shape,
            value.double().sum().item(),
        )
    if kind == "Generator":  # each library draws different numbers
        return kind, value.initial_seed(), described(value.get_state()) if value.device.type == "cpu" else ()
    if isinstance(value, weakref.ref):  # a transform's cached inverse, which files omit
        return described(None)
    if isinstance(value, dict):
        return kind, [(described(key), described(one)) for key, one in value.items()]
    if isinstance(value, (list, tuple, set)):
        return kind, [described(one) for one in value]
    if hasattr(value, "named_parameters"):
        shown = [one for one in sorted(vars(value).items()) if not one[0].startswith("_") and one[0] != "training"]
        hooks = described([*value._forward_pre_hooks.values()])
        return (
            kind,
            described(dict(value.state_dict())),
            described({k: v for k, v in shown if not hasattr(v, "shape")}),
            hooks,
        )
    if any(map(is_of_library, type(value).__mro__)) and hasattr(value, "__dict__"):
        # PyTorch sets these only where they differ from the default.
        hidden = {"_cached_x_y": (None, None), "_validate_args": True}
        shown = {k: v for k, v in vars(value).items() if k not in hidden or v != hidden[k]}
        if {"probs", "logits"} & shown.keys():  # derived from each other, at different times
            shown |= {"probs": copy(value).probs, "logits": copy(value).logits}
        return kind, described(dict(sorted(shown.items())))
    return kind, re.sub(" at 0x[0-9a-f]+", "", repr(value)) if not callable(value) else getattr(
        value, "__qualname__", ""
    )
