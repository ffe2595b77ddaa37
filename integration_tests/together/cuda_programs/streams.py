"""Two streams that work on the same tensors, ordered by events, with memory that both use."""

import torch

assert torch.cuda.current_stream() == torch.cuda.default_stream()
side, copies = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
assert side != copies and side.device == torch.device("cuda:0")

start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
total = torch.zeros(64, device="cuda")
expected = torch.zeros(64)
start.record()
for step in range(20):
    host = torch.full((64,), float(step)).pin_memory()
    with torch.cuda.stream(copies):
        batch = host.to("cuda", non_blocking=True)
        ready = copies.record_event()
    torch.cuda.current_stream().wait_event(ready)
    batch.record_stream(torch.cuda.current_stream())
    total += batch * 2
    del batch
    expected += step * 2
end.record()
end.synchronize()
assert end.query() and start.elapsed_time(end) >= 0
assert torch.equal(total.cpu(), expected), (total, expected)

x = torch.randn(128, device="cuda")
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    assert torch.cuda.current_stream() == side
    y = x * 3 + 1
assert torch.cuda.current_stream() == torch.cuda.default_stream()
torch.cuda.current_stream().wait_stream(side)
y.record_stream(torch.cuda.current_stream())
z = y - 1
torch.cuda.synchronize()
torch.testing.assert_close(z.cpu(), x.cpu() * 3)

w = torch.ones(8, device="cuda", requires_grad=True)
with torch.cuda.stream(side):
    side.wait_stream(torch.cuda.default_stream())
    loss = (w * w).sum()
    loss.backward()
side.synchronize()
assert w.grad.tolist() == [2.0] * 8
