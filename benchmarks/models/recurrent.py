"""Recurrent networks on random words: translation with GNMTv2, and a word-level language model."""

from __future__ import annotations

from typing import Any

from .training import Training, classification, indices


def gnmt(F: Any, *, batch=16, length=25, words=8000, width=512, layers=4, rate=1e-4) -> Training:
    """GNMTv2: residual LSTMs, the first one bidirectional, and normalized additive attention (Wu et al. 2016).

    The context that the first layer of the decoder finds is an input of all others, as in MLPerf's version 2.
    """
    nn = F.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key = (nn.Linear(width, width, bias=False) for _ in range(2))
            self.direction = nn.Parameter(F.randn(width))
            self.scale, self.bias = nn.Parameter(F.full((1,), width**-0.5)), nn.Parameter(F.zeros(width))

        def forward(self, query, source):
            sums = self.query(query).unsqueeze(2) + self.key(source).unsqueeze(1) + self.bias
            weights = self.direction * (self.scale / self.direction.norm())
            return (sums.tanh() @ weights).softmax(-1) @ source

    class GNMT(nn.Module):
        def __init__(self):
            super().__init__()
            lstm = nn.LSTM
            self.source, self.target = nn.Embedding(words, width), nn.Embedding(words, width)
            self.first = lstm(width, width, bidirectional=True, batch_first=True)
            inputs = [2 * width, *[width] * (layers - 2)]
            self.encoder = nn.ModuleList(lstm(count, width, batch_first=True) for count in inputs)
            self.reader, self.attention = lstm(width, width, batch_first=True), Attention()
            self.decoder = nn.ModuleList(lstm(2 * width, width, batch_first=True) for _ in range(layers - 1))
            self.scores = nn.Linear(width, words)

        def forward(self, source, target):
            x = self.first(self.source(source))[0]
            for number, layer in enumerate(self.encoder):
                found = layer(x)[0]
                x = found + x if number else found  # the input of the first of these is twice as wide
            y = self.reader(self.target(target))[0]
            context = self.attention(y, x)
            for number, layer in enumerate(self.decoder):
                found = layer(F.cat([y, context], dim=2))[0]
                y = found + y if number else found
            return self.scores(y)

    model = GNMT()
    source, target = indices(F, words, batch, length), indices(F, words, batch, length + 1, seed=1)
    optimizer = F.optim.Adam(model.parameters(), lr=rate)

    def loss(source, target, expected):
        return F.nn.functional.cross_entropy(model(source, target).flatten(0, 1), expected.flatten())

    return Training(model, optimizer, loss, (source, target[:, :-1].contiguous(), target[:, 1:].contiguous()), 5.0)


def language_model(F: Any, *, batch=20, length=35, words=10000, width=400, layers=2, rate=1.0) -> Training:
    """Word-level LSTM language model of the size of the Penn Treebank (Zaremba et al. 2014)."""
    nn = F.nn

    class LanguageModel(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(words, width)
            self.lstm, self.scores = nn.LSTM(width, width, layers, batch_first=True), nn.Linear(width, words)

        def forward(self, x):
            return self.scores(self.lstm(self.words(x))[0])

    model, text = LanguageModel(), indices(F, words, batch, length + 1)
    optimizer = F.optim.SGD(model.parameters(), lr=rate)
    return classification(F, model, optimizer, text[:, :-1].contiguous(), text[:, 1:].contiguous(), 5.0)
