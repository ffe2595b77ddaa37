"""Two devices, their properties and memory, older names, and the names of accelerators."""

import torch
import torch.nn as nn

assert torch.cuda.device_count() == torch.accelerator.device_count() == 2 and torch.cuda.current_device() == 0
name, capability = torch.cuda.get_device_name(), torch.cuda.get_device_capability()
properties = torch.cuda.get_device_properties(0)
assert name == properties.name and capability == (properties.major, properties.minor)
assert torch.cuda.is_bf16_supported() and torch.cuda.is_tf32_supported() is (capability >= (8, 0))
assert torch.cuda.get_arch_list() == [f"sm_{properties.major}{properties.minor}"] and torch.backends.cuda.is_built()
assert torch.version.cuda.split(".")[0].isdigit() and name in torch.__config__.show()
assert torch.cuda.can_device_access_peer(0, 1) in (True, False)

torch.cuda.set_device(1)
assert torch.zeros(1).cuda().device == torch.device("cuda", 1) == torch.zeros(1, device="cuda").device
torch.cuda.set_device("cuda:0")
with torch.cuda.device(1):
    assert torch.cuda.current_device() == 1 and torch.ones(1, device="cuda").get_device() == 1
with torch.cuda.device_of(torch.ones(1, device="cuda:1")), torch.cuda.device(None), torch.cuda.device(-1):
    assert torch.cuda.current_device() == 1
assert torch.cuda.current_device() == 0
with torch.device("cuda:1"):
    assert torch.zeros(2).device == torch.arange(3).device == torch.device("cuda:1")
    assert torch.cuda.current_device() == 0 and torch.zeros(2, device="cuda").device == torch.device("cuda:0")
torch.set_default_device("cuda")
assert torch.zeros(2).is_cuda and nn.Linear(2, 2).weight.is_cuda
torch.set_default_device("cpu")

x = torch.arange(6.0)
there = x.cuda(1)
assert there.to("cuda:0").device == torch.device("cuda:0") and there.cuda(0).tolist() == x.tolist()
try:
    there + x.cuda(0)
except RuntimeError as error:
    assert "cuda:1" in str(error) and "cuda:0" in str(error), error
else:
    raise AssertionError("tensors on two devices")


class InTwoParts(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 4).to("cuda:0"), nn.Linear(4, 1).to("cuda:1")

    def forward(self, x):
        return self.second(torch.relu(self.first(x.to("cuda:0"))).to("cuda:1"))


model = InTwoParts()
model(torch.ones(3, 6)).sum().backward()
assert model.first.weight.grad.device == torch.device("cuda:0")
assert model.second.weight.grad.device == torch.device("cuda:1")
together = torch.cat([parameter.grad.flatten().cpu() for parameter in model.parameters()])
norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
assert norm.device == torch.device("cuda:0") and torch.allclose(norm.cpu(), together.norm())
clipped = torch.cat([parameter.grad.flatten().cpu() for parameter in model.parameters()])
assert torch.allclose(clipped, together * (0.5 / together.norm()))
try:
    model.second.bias.grad = torch.ones(1)
except RuntimeError as error:
    assert "float32 (1,) on cuda:1; got float32 (1,)" in str(error), error
else:
    raise AssertionError("a gradient on another device")

torch.cuda.empty_cache()
torch.cuda.reset_peak_memory_stats()
before = torch.cuda.memory_allocated()
block = torch.empty(1 << 20, device="cuda")
assert torch.cuda.memory_allocated() - before == 4 << 20 == torch.cuda.max_memory_allocated() - before
assert torch.cuda.memory_reserved() >= torch.cuda.memory_allocated() and "device memory" in torch.cuda.memory_summary()
del block
assert torch.cuda.memory_allocated() == before and torch.cuda.memory_stats(1)["allocated_bytes.all.current"] > 0
free, total = torch.cuda.mem_get_info()
assert 0 < free <= total == properties.total_memory

old = torch.cuda.FloatTensor([1, 2])
assert isinstance(old, torch.cuda.FloatTensor) and not isinstance(old, torch.FloatTensor) and old.is_cuda
assert old.type() == "torch.cuda.FloatTensor" and torch.cuda.LongTensor(2, 3).shape == (2, 3)
assert old.type("torch.DoubleTensor").device.type == "cpu" and x.type(torch.cuda.HalfTensor).is_cuda
assert old.cpu().is_cuda is False and nn.Linear(2, 2).cuda().weight.is_cuda and old.cuda() is old

assert torch.accelerator.current_accelerator() == torch.device("cuda") and torch.accelerator.is_available()
torch.accelerator.set_device_index(1)
assert torch.accelerator.current_device_index() == 1 and torch.cuda.current_device() == 1
torch.accelerator.set_device_index(0)
torch.accelerator.synchronize()
assert torch.accelerator.memory_allocated() == torch.cuda.memory_allocated()
with torch.cuda.nvtx.range("training"):
    assert torch.cuda.nvtx.range_push("step") == 1 and torch.cuda.nvtx.range_pop() == 1
    torch.cuda.nvtx.mark("now")
torch.cuda.ipc_collect()

torch.cuda.set_sync_debug_mode("error")
assert torch.cuda.get_sync_debug_mode() == 2
torch.cuda.synchronize()
try:
    there.tolist()
except RuntimeError as error:
    assert "the host waits for a stream of cuda:1" in str(error), error
else:
    raise AssertionError("a wait")
torch.cuda.set_sync_debug_mode("default")
assert there.tolist() == x.tolist()

graph = torch.cuda.CUDAGraph()
assert not torch.cuda.is_current_stream_capturing() and len(torch.cuda.graph_pool_handle()) == 2
with torch.cuda.graph(graph):
    assert torch.cuda.is_current_stream_capturing()
    block = torch.empty(4, device="cuda")
graph.replay()
torch.cuda.synchronize()
