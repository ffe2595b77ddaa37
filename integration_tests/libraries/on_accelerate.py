"""accelerate: a training loop with accumulation, clipping, schedules, gathered metrics and a checkpoint."""

import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from recorded import draw, fill, record, write

set_seed(0)
for name, options in {"plain": {}, "accumulating": {"gradient_accumulation_steps": 2}}.items():
    accelerator = Accelerator(cpu=True, **options)
    model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
    fill(model, "model")
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 8)
    data = torch.utils.data.TensorDataset(draw("inputs", 32, 6), draw("targets", 32, 3))
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    losses = []
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(accelerator.gather_for_metrics(loss.detach().reshape(1)))
    record(f"{name} losses", torch.cat(losses))
    record(f"{name} weights", list(accelerator.unwrap_model(model).parameters()))
    record(f"{name} rate", schedule.get_last_lr())
    with tempfile.TemporaryDirectory() as folder:
        accelerator.save_state(folder)
        before = [one.clone() for one in model.parameters()]
        with torch.no_grad():
            for one in model.parameters():
                one.zero_()
        accelerator.load_state(folder)
        assert all(torch.equal(one, other) for one, other in zip(model.parameters(), before, strict=True))
        accelerator.save_model(model, folder)
    record(f"{name} state", [accelerator.num_processes, accelerator.process_index, int(accelerator.is_main_process)])
    record(f"{name} padded", accelerator.pad_across_processes(draw("ragged", 2, 3), dim=1))
    record(f"{name} reduced", accelerator.reduce(draw("ragged", 2, 3), "mean"))
    accelerator.free_memory()
with Accelerator(cpu=True).autocast():
    record("autocast", torch.nn.functional.linear(draw("a", 2, 3), draw("b", 4, 3)))
from accelerate import init_empty_weights

with init_empty_weights():
    empty = torch.nn.Linear(20000, 20000)
record("empty", [str(empty.weight.device) == "meta", list(empty.weight.shape) == [20000, 20000]])
write()
