"""What programs do with tensors and modules on a GPU besides training."""

import copy
import io
import pickle

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

assert torch.cuda.is_available()

x = torch.arange(12.0, device="cuda").view(3, 4)
assert "device='cuda:0'" in repr(x) and x.cpu().numpy().tolist() == x.tolist()
try:
    x.numpy()
except TypeError as error:
    assert "cuda" in str(error) and ".cpu()" in str(error), error
else:
    raise AssertionError("an array of the GPU's memory")
assert np.asarray(x.detach().cpu()).sum() == 66 and float(x.sum()) == 66.0 and x[1, 2].item() == 6 and bool(x.any())
assert torch.from_numpy(np.ones(3)).cuda().dtype is torch.float64

for same in (x.new_zeros(2), x.new_tensor([1]), torch.zeros_like(x), x.clone(), x[x > 3], x.to(torch.int64), x.T @ x):
    assert same.device == x.device
for copied in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
    assert copied.device == x.device and torch.equal(copied, x)
x[0] = torch.tensor([1.0, 2.0, 3.0, 4.0])  # from the CPU
assert x[0].tolist() == [1, 2, 3, 4]
x.copy_(torch.zeros(3, 4))
assert x.cpu().eq(0).all() and (x + torch.tensor(2.0)).is_cuda and (x + np.float32(1)).is_cuda

model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5))
model.cuda()
assert all(value.is_cuda for value in model.state_dict().values()) and next(model.buffers()).is_cuda
images = torch.rand(2, 1, 8, 8).cuda()
twin = copy.deepcopy(model)
model.train(), twin.train()
torch.testing.assert_close(model(images), twin(images))
file = io.BytesIO()
torch.save(model, file)
file.seek(0)
again = torch.load(file, weights_only=False)
assert next(again.parameters()).is_cuda
torch.testing.assert_close(again.eval()(images), model.eval()(images))
assert not next(model.cpu().parameters()).is_cuda and model.half().to("cuda")[0].weight.dtype is torch.float16

compiled = torch.compile(twin.eval())
for _ in range(4):
    torch.testing.assert_close(compiled(images), twin(images))
parallel = nn.DataParallel(twin, device_ids=[0]).cuda()
assert torch.equal(parallel(images), twin(images))

lstm = nn.LSTM(3, 4, batch_first=True).cuda()
words = torch.rand(2, 5, 3)
for order in ([5, 2], torch.tensor([2, 5])):
    packed = nn.utils.rnn.pack_padded_sequence(words.cuda(), order, batch_first=True, enforce_sorted=False)
    output, lengths = nn.utils.rnn.pad_packed_sequence(lstm(packed)[0], batch_first=True)
    assert output.is_cuda and not lengths.is_cuda and output.shape == (2, 5, 4)
    output.sum().backward()


class Scaled(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x):
        assert not torch.is_autocast_enabled("cuda")
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        return grad * 2


leaf = torch.ones(3, device="cuda", dtype=torch.float16, requires_grad=True)
with torch.autocast("cuda"):
    scaled = Scaled.apply(leaf)
assert scaled.dtype is torch.float32
scaled.sum().backward()
assert leaf.grad.tolist() == [2, 2, 2] and leaf.grad.dtype is torch.float16

loader = DataLoader(list(range(8)), batch_size=2, num_workers=2, pin_memory=True)
for _ in range(2):
    batches = [batch.cuda(non_blocking=True) for batch in loader]
    assert torch.cat(batches).tolist() == list(range(8))
pairs = DataLoader([{"x": torch.ones(2), "name": "a"}] * 2, batch_size=2, pin_memory=True)
for batch in pairs:
    assert batch["x"].is_pinned() and batch["name"] == ["a", "a"]


class Batch:
    def __init__(self, samples):
        self.values = torch.tensor(samples)

    def pin_memory(self):
        self.values = self.values.pin_memory()
        return self


for batch in DataLoader([1, 2, 3, 4], batch_size=2, collate_fn=Batch, pin_memory=True):
    assert batch.values.is_pinned()
