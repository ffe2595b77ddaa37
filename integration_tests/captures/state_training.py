"""Kinds of state: modules, their parameters, hooks and modes; optimizers, schedules, scalers and their state."""

from scenarios import BREAKS, FOLLOWS, RECAPTURES, RECORDED, Kind

LINEAR = "facula.manual_seed(0)\nNET = nn.Linear(3, 3)"
MIXED = (
    "facula.manual_seed(0)\nNET = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 3))"
)
OWN_NET = """
facula.manual_seed(0)
class Net(nn.Module):
    k = 2
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.sizes, self.scale, self.parts = [2], 2, nn.ModuleDict({"a": nn.Tanh()})
        self.register_buffer("shift", facula.ones(3))
        self.many = nn.ModuleList([nn.ReLU(), nn.Sigmoid()])
    def forward(self, x):
        x = self.b(self.a(x)) * self.scale + self.shift
        for one in self.many:
            x = one(x)
        return self.parts["a"](x) * self.sizes[0]
class Other(Net):
    def forward(self, x):
        return x * 3
NET = Net()
"""
CALLED = ("NET(X)", "NET.forward(X)")
ROWS = "NET(X.expand(4, 3) * facula.arange(4.0).view(4, 1))[1]"
PARAMETERS = (
    "NET(X)", "NET.weight.sum()", "NET.weight[0]", "sum(one.norm() for one in NET.parameters())",
    "facula.cat([one.flatten() for one in NET.parameters()]).sum()", "dict(NET.named_parameters())['weight'].mean()",
    "facula.stack([one.sum() for one in NET.parameters()]).sum()", "NET.state_dict()['weight'].sum()",
    "F.linear(X, NET.weight)",
    "nn.utils.parameters_to_vector(NET.parameters()).sum()",
    "facula.func.functional_call(NET, dict(NET.named_parameters()), (X,))",
)  # fmt: skip

MODULES = [
    ("parameter's memory", LINEAR, "NET.weight.data = facula.full((3, 3), float(V))", PARAMETERS, RECAPTURES),
    ("parameter's elements", LINEAR, "NET.weight.data.fill_(float(V))", PARAMETERS, FOLLOWS),
    ("parameter replaced", LINEAR, "NET.weight = nn.Parameter(facula.full((3, 3), float(V)))", PARAMETERS, RECAPTURES),
    ("parameter frozen", LINEAR, "NET.requires_grad_(V == 2)", tuple(one for one in PARAMETERS if "state" not in one),
     RECAPTURES),
    ("parameter removed", LINEAR, "NET.bias = None if V == 3 else nn.Parameter(facula.ones(3))",
     ("NET(X)", "len([*NET.parameters()])", "(2 if NET.bias is None else 3)"), RECAPTURES),
    ("state loaded", LINEAR, "NET.load_state_dict({'weight': facula.full((3, 3), float(V)), 'bias': facula.ones(3)})",
     PARAMETERS[:3], FOLLOWS),
    ("type of a module", LINEAR, "NET.to((facula.float32, facula.float64)[V - 2])",
     ("NET(X.to(NET.weight.dtype))", "NET.weight.dtype.itemsize", "NET.weight.sum()"), RECAPTURES),
    ("size of a parameter", LINEAR, "NET.weight.data = facula.ones(V + 1, 3)",
     ("NET.weight.shape[0]", "NET.weight.numel()", "sum(one.numel() for one in NET.parameters())"), RECAPTURES),
    ("mode of a module", MIXED, "NET.train(V == 2)", (ROWS, "NET.training + 2", "(3 if NET[2].training else 2)"),
     RECAPTURES),
    ("mode of a submodule", MIXED, "NET[2].train(V == 2)", (ROWS,), RECAPTURES),
    ("number of a layer", MIXED, "NET[2].p = V / 4", (ROWS, "NET[2].p * 4"), RECAPTURES),
    ("statistics of a layer", f"{MIXED}\nNET.eval()", "NET[1].running_mean.fill_(float(V))", (ROWS,
     "NET[1].running_mean[:3]"),
     FOLLOWS),
    ("layer of a Sequential", MIXED, "NET[1] = (nn.BatchNorm1d(4), nn.Tanh())[V - 2]", (ROWS,), RECAPTURES),
    ("layer added", MIXED, "NET.append(nn.Tanh()) if V == 3 else NET.pop(-1)", (ROWS, "len(NET)",
     "len([*NET.modules()])"),
     RECAPTURES),
    ("attribute of a module", OWN_NET, "NET.scale = V", ("NET.scale", *CALLED), RECAPTURES),
    ("list of a module", OWN_NET, "NET.sizes[0] = V", ("NET.sizes[0]", *CALLED), RECAPTURES),
    ("class attribute of a module", OWN_NET, "Net.k = V", ("NET.k", "type(NET).k"), RECAPTURES),
    ("attribute of a module that shadows", OWN_NET, "if V == 3: NET.k = 3\nelse: del NET.k", ("NET.k",), RECAPTURES),
    ("buffer replaced", OWN_NET, "NET.shift = facula.full((3,), float(V))", ("NET.shift", *CALLED), RECAPTURES),
    ("buffer's memory", OWN_NET, "NET.shift.data = facula.full((3,), float(V))", ("NET.shift", "NET.shift.sum()",
     *CALLED),
     RECAPTURES),
    ("buffer's elements", OWN_NET, "NET.shift.fill_(float(V))", ("NET.shift",
     "sum(one.sum() for one in NET.buffers())", *CALLED),
     FOLLOWS),
    ("buffer deleted", OWN_NET, "if V == 3: del NET.shift\nelse: NET.register_buffer('shift', facula.ones(3))",
     CALLED, RECAPTURES),
    ("submodule replaced", OWN_NET, "NET.a = (nn.Linear(3, 3), nn.Tanh())[V - 2]", CALLED, RECAPTURES),
    ("submodules exchanged", OWN_NET, "NET.a, NET.b = NET.b, NET.a", (*CALLED, "NET.a(X)"), RECAPTURES),
    ("entry of a ModuleList", OWN_NET, "NET.many[0] = (nn.ReLU(), nn.Tanh())[V - 2]", CALLED, RECAPTURES),
    ("length of a ModuleList", OWN_NET, "NET.many.append(nn.Tanh()) if V == 3 else NET.many.pop(-1)",
     ("len(NET.many)", *CALLED),
     RECAPTURES),
    ("entry of a ModuleDict", OWN_NET, "NET.parts['a'] = (nn.Tanh(), nn.ReLU())[V - 2]", CALLED, RECAPTURES),
    ("forward of an object", OWN_NET, "if V == 3: NET.forward = lambda x: x * 3\nelse: del NET.forward", CALLED,
     RECAPTURES),
    ("forward of a submodule", OWN_NET, "if V == 3: NET.a.forward = lambda x: x * 3\nelse: del NET.a.forward", CALLED,
     RECAPTURES),
    ("forward of a class", OWN_NET, "KEPT = Net.forward if V == 3 else KEPT\n"
     "Net.forward = (KEPT, lambda self, x: x * 3)[V - 2]",
     CALLED, RECAPTURES),
    ("class of a module", OWN_NET, "NET.__class__ = (Net, Other)[V - 2]", CALLED, RECAPTURES),
    ("hook of a module", OWN_NET,
     "HOOK = NET.register_forward_hook(lambda net, args, out: out * 3) if V == 3 else HOOK.remove()",
     CALLED[:1], RECAPTURES),
    ("hook of a submodule", OWN_NET,
     "HOOK = NET.a.register_forward_hook(lambda net, args, out: out * 3) if V == 3 else HOOK.remove()",
     CALLED, RECAPTURES),
    ("hook before a module", OWN_NET,
     "HOOK = NET.b.register_forward_pre_hook(lambda net, args: (args[0] * 3,)) if V == 3 else HOOK.remove()",
     CALLED, RECAPTURES),
    ("what a module's hook reads", f"{OWN_NET}\nK = 2\nNET.register_forward_hook(lambda net, args, out: out * K)",
     "K = V",
     CALLED[:1], RECAPTURES),
    ("parametrization", f"{LINEAR}\nclass Triple(nn.Module):\n    def forward(self, w): return w * 3",
     "if V == 3: nn.utils.parametrize.register_parametrization(NET, 'weight', Triple())\n"
     "else: nn.utils.parametrize.remove_parametrizations(NET, 'weight')", ("NET(X)", "NET.weight.sum()"), RECAPTURES),
    ("what a parametrization reads", f"{LINEAR}\nK = 2\nclass Scaled(nn.Module):\n"
     f"    def forward(self, w): return w * K\n"
     "nn.utils.parametrize.register_parametrization(NET, 'weight', Scaled())", "K = V", ("NET(X)",
     "NET.weight.sum()"), RECAPTURES),
    ("weight norm", LINEAR,
     "if V == 3: nn.utils.parametrizations.weight_norm(NET); NET.parametrizations.weight.original0.data.mul_(3)\n"
     "else: nn.utils.parametrize.remove_parametrizations(NET, 'weight')", ("NET(X)",), RECAPTURES),
    ("pruning", LINEAR,
     "nn.utils.prune.l1_unstructured(NET, 'weight', 4) if V == 3 else nn.utils.prune.remove(NET, 'weight')",
     ("NET(X)", "NET.weight.sum()"), BREAKS),
    ("weights tied", OWN_NET, "NET.b.weight = (nn.Parameter(facula.ones(3, 3)), NET.a.weight)[V - 2]", CALLED,
     RECAPTURES),
    ("module in a list", f"{LINEAR}\nL = [NET, nn.Tanh()]", "L.reverse()", ("L[0](X)", "[one(X) for one in L][0]"),
     RECAPTURES),
    ("module bound to a name", LINEAR, "NET = (NET, nn.Tanh())[V - 2]", ("NET(X)",), RECAPTURES),
    ("module in a closure", f"{LINEAR}\ndef make(net): return lambda: net(X)\nREAD = make(NET)",
     "NET.weight.data = facula.full((3, 3), float(V))",
     ("READ()",), RECAPTURES),
]  # fmt: skip

STEP = """
facula.manual_seed(0)
NET = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
OPT = facula.optim.{optimizer}
{more}
def f(x):
    OPT.zero_grad()
    loss = NET(x).sum() ** 2
    loss.backward()
    {step}
    return loss.detach()
"""
WEIGHTS = "[one.tolist() for one in NET.parameters()]"
OPTIMIZERS = {
    "SGD": "SGD(NET.parameters(), lr=0.02, momentum=0.9)",
    "Adam": "Adam(NET.parameters(), lr=0.02)",
    "AdamW": "AdamW([{'params': NET[0].parameters()}, {'params': NET[2].parameters(), 'lr': 0.01}], lr=0.02)",
    "RMSprop": "RMSprop(NET.parameters(), lr=0.02, momentum=0.5)",
    "Adagrad": "Adagrad(NET.parameters(), lr=0.02)",
}
GROUP = "OPT.param_groups[0]"
CHANGES = [
    ("rate", f"{GROUP}['lr'] = 0.01 * V", FOLLOWS),
    ("decay", f"{GROUP}['weight_decay'] = 0.1 * V", FOLLOWS),
    ("direction", f"{GROUP}['maximize'] = V == 3", FOLLOWS),
    ("parameters of a group", f"if V == 3: {GROUP}['params'].pop()", RECAPTURES),
    ("group added",
     "if V == 3: OPT.add_param_group({'params': [nn.Parameter(facula.ones(3))], 'lr': 0.5}); "
     "OPT.param_groups[0]['lr'] = 0.1",
     RECAPTURES),
    ("state cleared", "OPT.state.clear()", RECAPTURES),
    ("state's tensors", "for one in OPT.state.values():\n    for value in one.values():\n"
     "        if facula.is_tensor(value) and value.dim(): value.fill_(float(V))", FOLLOWS),
    ("state's tensors replaced", "for one in OPT.state.values():\n    for key, value in one.items():\n"
     "        if facula.is_tensor(value) and value.dim(): one[key] = facula.full(value.shape, float(V))", RECAPTURES),
    ("state loaded", "SAVED = OPT.state_dict() if V == 3 else SAVED\n"
     "for one in SAVED['param_groups']: one['lr'] = 0.03 * V\n"
     "OPT.load_state_dict(SAVED)", RECAPTURES),
    ("weights frozen", "NET[0].requires_grad_(V == 2)", RECAPTURES),
    ("weights swapped", "NET[0].weight.data = facula.full((3, 3), 0.1 * V)", RECAPTURES),
]  # fmt: skip
TRAINING = [
    Kind(f"{optimizer}: {name}", STEP.format(optimizer=line, more="", step="OPT.step()"), change, (), behaviour,
         observe=WEIGHTS)
    for optimizer, line in OPTIMIZERS.items()
    for name, change, behaviour in CHANGES
]  # fmt: skip
MORE = [
    Kind(name, STEP.format(optimizer=OPTIMIZERS["SGD"], more=more, step=step), change, (), behaviour, observe=WEIGHTS)
    for name, more, step, change, behaviour in [
        ("schedule stepped outside", "S = facula.optim.lr_scheduler.StepLR(OPT, 1, 0.5)", "OPT.step()", "S.step()",
         FOLLOWS),
        ("schedule stepped inside", "S = facula.optim.lr_scheduler.ExponentialLR(OPT, 0.9)", "OPT.step(); S.step()",
         "OPT.param_groups[0]['lr'] = V / 99", FOLLOWS),
        ("factor of a schedule inside", "S = facula.optim.lr_scheduler.ExponentialLR(OPT, 0.9)", "OPT.step(); S.step()",
         "S.gamma = V / 9", FOLLOWS),
        ("schedule by a function", "K = 2\nS = facula.optim.lr_scheduler.LambdaLR(OPT, lambda at: 1 / (K + at))",
         "OPT.step(); S.step()", "K = V", RECAPTURES),
        ("bound of gradients", "K = 0.2", "nn.utils.clip_grad_norm_(NET.parameters(), K); OPT.step()", "K = V / 9",
         RECAPTURES),
        ("nesterov", "", "OPT.step()", "OPT.param_groups[0]['nesterov'] = V == 3", FOLLOWS),
        ("momentum", "", "OPT.step()", "OPT.param_groups[0]['momentum'] = V / 4", FOLLOWS),
        ("momentum from none", "OPT.param_groups[0]['momentum'] = 0", "OPT.step()",
         "OPT.param_groups[0]['momentum'] = (V - 2) / 2",
         RECAPTURES),
        ("closure of a step", "K = 2\ndef g():\n    OPT.zero_grad()\n    loss = (NET(X) * K).sum()\n"
         "    loss.backward()\n    return loss",
         "OPT.step(g)", "K = V", RECAPTURES),
        ("optimizer replaced", "", "OPT.step()", "OPT = facula.optim.SGD(NET.parameters(), lr=V / 99)", RECAPTURES),
        ("hook of an optimizer", "def g(*args):\n    with facula.no_grad(): NET[0].weight.mul_(0.5)", "OPT.step()",
         "HOOK = OPT.register_step_post_hook(g) if V == 3 else HOOK.remove()", RECAPTURES),
        ("gradients outside", "T = NET[0].weight", "OPT.step()",
         "T.grad = facula.ones(3, 3) * V; T.grad = None; NET[2].bias.data.fill_(float(V))",
         FOLLOWS),
        ("penalty of frozen layers", "NET[0].requires_grad_(False)",
         "sum(one.norm() for one in NET.parameters()).backward(); OPT.step()",
         "NET[0].requires_grad_(V == 3)", RECAPTURES),
        ("averaged weights", "E = [one.detach().clone() for one in NET.parameters()]",
         "OPT.step()\n    for one, other in zip(E, NET.parameters()): one.lerp_(other.detach(), 0.5)",
         "E[0].data = facula.full((3, 3), float(V)); NET[0].weight.data.copy_(E[0])",
         RECAPTURES),
    ]
] + [
    Kind("scale of a GradScaler", STEP.format(optimizer=OPTIMIZERS["SGD"],
         more="S = facula.amp.GradScaler('cpu', init_scale=4.0)",
         step="S.unscale_(OPT); S.step(OPT); S.update()").replace("loss.backward()", "S.scale(loss).backward()"),
         "S.load_state_dict({**S.state_dict(), 'scale': 2.0 ** V})", (), FOLLOWS,
         observe=f"{WEIGHTS}, S.get_scale()"),
    Kind("step left out by a GradScaler", STEP.format(optimizer=OPTIMIZERS["SGD"],
         more="S = facula.amp.GradScaler('cpu', init_scale=4.0)\nK = facula.ones(1)",
         step="S.step(OPT); S.update()").replace("loss.backward()", "S.scale(loss * K).backward()"),
         "K.fill_(float('inf') if V == 3 else 1.0)", (), FOLLOWS, observe=f"{WEIGHTS}, S.get_scale()"),
]  # fmt: skip

KINDS = [*[Kind(*row, RECORDED) for row in MODULES],
         *TRAINING, *MORE]  # fmt: skip
