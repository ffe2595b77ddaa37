"""Mixed precision: float16 with a gradient scaler, bfloat16 without, and steps that the scaler skips."""

import torch
import torch.nn as nn

assert torch.cuda.is_available()

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 1)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
scaler = torch.amp.GradScaler("cuda", init_scale=2.0**10, growth_interval=5)
x = torch.randn(32, 8, device="cuda")
target = x[:, :1].sin()

losses = []
for _ in range(12):
    optimizer.zero_grad()
    with torch.autocast(device_type="cuda", dtype=torch.float16):
        output = model(x)
        loss = nn.functional.mse_loss(output, target)
    assert output.dtype is torch.float16 and loss.dtype is torch.float32 and loss.is_cuda
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
assert losses[-1] < 0.7 * losses[0], losses
assert scaler.get_scale() == 2.0**12, scaler.get_scale()
assert all(p.dtype is torch.float32 and p.grad.is_cuda for p in model.parameters())

before = [p.detach().clone() for p in model.parameters()]
scaler.scale(model(x).sum() * float("inf")).backward()
scaler.step(optimizer)
scaler.update()
assert scaler.get_scale() == 2.0**11, "the scale shrinks"
assert all(torch.equal(old, new) for old, new in zip(before, model.parameters())), "the step is skipped"
restored = torch.cuda.amp.GradScaler()
restored.load_state_dict(scaler.state_dict())
assert restored.get_scale() == 2.0**11

linear = nn.Linear(8, 1).cuda()
optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    torch.cuda.set_sync_debug_mode("error")
    scaler.scale(linear(x).sum()).backward()
    scaler.unscale_(optimizer)
    torch.cuda.set_sync_debug_mode("default")
    scaler.step(optimizer)  # only the step waits, for the decision whether to skip it
    torch.cuda.set_sync_debug_mode("error")
    scaler.update()
    torch.cuda.set_sync_debug_mode("default")

layers = nn.ModuleList([nn.Linear(8, 8).to("cuda:0"), nn.Linear(8, 1).to("cuda:1")])
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for factor, steps in ((1.0, True), (float("inf"), False)):
    optimizer.zero_grad()
    before = [p.detach().clone() for p in layers.parameters()]
    result = layers[1](layers[0](x).to("cuda:1")).mean() * factor
    scaler.scale(result).backward()
    scaler.step(optimizer)
    scaler.update()
    assert any(not torch.equal(old, new) for old, new in zip(before, layers.parameters())) is steps

half = torch.ones(2, 2, device="cuda", dtype=torch.float16)
with torch.cuda.amp.autocast(dtype=torch.bfloat16):
    assert torch.is_autocast_enabled() and torch.get_autocast_gpu_dtype() is torch.bfloat16
    assert model(x).dtype is torch.bfloat16
    assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32, "tensors on the CPU are not cast"
    assert half.exp().dtype is half.sum().dtype is half.softmax(0).dtype is (half**2).dtype is torch.float32
    assert (half + half).dtype is half.relu().dtype is half.mean().dtype is torch.float16
    with torch.autocast("cpu"):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.bfloat16
        assert model(x).dtype is torch.bfloat16
    with torch.autocast("cuda", enabled=False):
        assert model(x).dtype is torch.float32
assert not torch.is_autocast_enabled()
