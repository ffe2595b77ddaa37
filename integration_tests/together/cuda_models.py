"""Networks that tests on a simulated CUDA device train."""

from facula import nn

F = nn.functional


class Residual(nn.Module):
    """A block of a ResNet that halves the images."""

    def __init__(self, width, wider):
        super().__init__()
        self.first = nn.Conv2d(width, wider, 3, stride=2, padding=1, bias=False)
        self.second = nn.Conv2d(wider, wider, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(wider) for _ in range(2)])
        self.skip = nn.Conv2d(width, wider, 1, stride=2)

    def forward(self, x):
        inner = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(inner)) + self.skip(x))


class Recurrent(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.inner, self.head = nn.LSTM(8, 16, 2, batch_first=True, dropout=dropout), nn.Linear(16, 5)

    def forward(self, x):
        return self.head(self.inner(x)[0][:, -1])
