"""pyro: variational inference, Hamiltonian Monte Carlo, and probabilities of its distributions."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDelta, AutoDiagonalNormal
from recorded import draw, integers, record, write

pyro.enable_validation(True)
x = draw("x", 20, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3


def regression(x, y=None):
    """A linear model."""
    weight = pyro.sample("weight", dist.Normal(torch.zeros(3), torch.ones(3)).to_event(1))
    bias = pyro.sample("bias", dist.Normal(0.0, 1.0))
    with pyro.plate("data", len(x)):
        return pyro.sample("obs", dist.Normal(x @ weight + bias, 0.5), obs=y)


# The maximum a posteriori estimate involves no random numbers.
pyro.clear_param_store()
guide = AutoDelta(
    regression,
    init_loc_fn=pyro.infer.autoguide.init_to_value(values={"weight": torch.zeros(3), "bias": torch.tensor(0.0)}),
)
svi = SVI(regression, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
record("losses of a point", [svi.step(x, y) for _ in range(30)])
record("point", [guide.median()["weight"], guide.median()["bias"]])


def mixture(data):
    """Two normal distributions, with the assignment summed out."""
    weight = pyro.param("share", torch.tensor([0.4, 0.6]), constraint=dist.constraints.simplex)
    places = pyro.param("places", torch.tensor([-1.0, 1.5]))
    with pyro.plate("data", len(data)):
        which = pyro.sample("which", dist.Categorical(weight), infer={"enumerate": "parallel"})
        pyro.sample("obs", dist.Normal(places[which], 1.0), obs=data)


pyro.clear_param_store()
data = torch.cat([draw("left", 10) - 2, draw("right", 15) + 2])
svi = SVI(
    mixture, config_enumerate(lambda data: None), pyro.optim.Adam({"lr": 0.05}), TraceEnum_ELBO(max_plate_nesting=1)
)
record("losses of a mixture", [svi.step(data) for _ in range(20)])
record("mixture", [pyro.param("share"), pyro.param("places")])

# Random results: compared by their statistics.
pyro.clear_param_store()
pyro.set_rng_seed(0)
guide = AutoDiagonalNormal(regression)
svi = SVI(regression, guide, pyro.optim.ClippedAdam({"lr": 0.05}), Trace_ELBO(num_particles=4))
for _ in range(800):
    svi.step(x, y)
record("near the truth", bool((guide.median()["weight"] - torch.tensor([1.0, -2.0, 0.5])).abs().max() < 0.5))
found = Predictive(regression, guide=guide, num_samples=50)(x)
record("predicted", list(found["obs"].shape))
kernel = NUTS(regression, jit_compile=False)
chain = MCMC(kernel, num_samples=60, warmup_steps=60, disable_progbar=True)
chain.run(x, y)
record(
    "chain near the truth",
    bool((chain.get_samples()["weight"].mean(0) - torch.tensor([1.0, -2.0, 0.5])).abs().max() < 0.5),
)

fixed = {"weight": torch.ones(3), "bias": torch.tensor(0.5)}
trace = pyro.poutine.trace(pyro.condition(regression, fixed)).get_trace(x, y)
record("trace", trace.log_prob_sum())
drawn = pyro.poutine.trace(regression).get_trace(x, y)
replayed = pyro.poutine.trace(pyro.poutine.replay(regression, drawn)).get_trace(x, y)
record("replayed", bool((replayed.nodes["weight"]["value"] == drawn.nodes["weight"]["value"]).all()))
positive = draw("positive", 5).abs() + 0.1
DISTRIBUTIONS = {
    "BetaBinomial": (dist.BetaBinomial(2.0, 3.0, 10), integers("counts", 10, 5).float()),
    "GammaPoisson": (dist.GammaPoisson(2.0, 1.0), integers("counts", 10, 5).float()),
    "ZeroInflatedPoisson": (
        dist.ZeroInflatedPoisson(torch.tensor(2.0), gate=torch.tensor(0.3)),
        integers("counts", 4, 5).float(),
    ),
    "InverseGamma": (dist.InverseGamma(2.0, 1.0), positive),
    "LKJ": (dist.LKJCholesky(3, 2.0), torch.linalg.cholesky(torch.eye(3) * 0.8 + 0.2)),
    "MaskedMixture": (
        dist.MaskedMixture(torch.tensor(True), dist.Normal(0.0, 1.0), dist.Normal(1.0, 2.0)),
        draw("v", 5),
    ),
    "Stable": (dist.VonMises(0.5, 2.0), draw("v", 5)),
    "Delta": (dist.Delta(torch.tensor(1.0)), torch.ones(5)),
    "AsymmetricLaplace": (dist.AsymmetricLaplace(0.0, 1.0, 2.0), draw("v", 5)),
    "TruncatedPolyaGamma": (dist.HalfCauchy(2.0), positive),
    "MultivariateNormal": (dist.MultivariateNormal(torch.zeros(3), torch.eye(3) + 0.2), draw("rows", 4, 3)),
    "Dirichlet": (dist.Dirichlet(torch.tensor([1.0, 2.0, 3.0])), draw("shares", 4, 3).softmax(-1)),
}
for name, (distribution, value) in DISTRIBUTIONS.items():
    record(name, distribution.log_prob(value))
flow = dist.transforms.planar(3)
for one in flow.parameters():
    one.data.fill_(0.3)
record("planar", flow(draw("rows", 4, 3)))
spline = dist.transforms.Spline(3)
with torch.no_grad():
    for key, one in spline.named_parameters():
        one.copy_(draw(key, *one.shape))
rows = draw("rows", 4, 3)
record("spline", [spline(rows), spline.log_abs_det_jacobian(rows, spline(rows)), spline.inv(spline(rows))])
write()
