"""A classifier on the GPU if there is one, with a loader of pinned batches and copies that do not wait."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.backends.cudnn.benchmark = True
torch.backends.cuda.matmul.allow_tf32 = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 32)
        self.norm = nn.BatchNorm1d(32)
        self.dropout = nn.Dropout(0.1)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        return self.fc2(self.dropout(F.relu(self.norm(self.fc1(x)))))


def train(device, epochs=4):
    torch.manual_seed(0)
    inputs = torch.randn(96, 16)
    labels = inputs[:, :4].argmax(1)
    loader = DataLoader(
        TensorDataset(inputs, labels), batch_size=24, shuffle=True, pin_memory=True,
        generator=torch.Generator().manual_seed(1),
    )  # fmt: skip
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    losses = []
    torch.manual_seed(2)
    for _ in range(epochs):
        model.train()
        total = torch.zeros((), device=device)
        for data, target in loader:
            assert data.is_pinned() == target.is_pinned() == torch.cuda.is_available()
            data, target = data.to(device, non_blocking=True), target.to(device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(data), target)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.detach()
        scheduler.step()
        losses.append(total.item() / len(loader))
    model.eval()
    with torch.no_grad():
        correct = (model(inputs.to(device)).argmax(1) == labels.to(device)).sum().item()
    return losses, correct / len(inputs)


assert device.type == "cuda", device
losses, accuracy = train(device)
assert losses[-1] < 0.8 * losses[0] and accuracy > 0.6, (losses, accuracy)
reference, _ = train(torch.device("cpu"))
torch.testing.assert_close(torch.tensor(losses), torch.tensor(reference), rtol=1e-4, atol=1e-5)
