"""Training of networks of several kinds, as functions of the wrapper that captures their steps."""

from training_programs import Program, integers, normal

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import optim, utils


class Denoiser(nn.Module):
    """A small U-Net: down, middle, and up with skip connections."""

    def __init__(self):
        super().__init__()
        self.times, self.into = nn.Embedding(20, 8), nn.Conv2d(1, 8, 3, padding=1)
        self.down = nn.Sequential(nn.GroupNorm(2, 8), nn.SiLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1))
        self.middle = nn.Sequential(nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 16, 3, padding=1))
        self.up = nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x, times):
        first = self.into(x) + self.times(times)[:, :, None, None]
        low = self.down(first)
        low = low + utils.checkpoint.checkpoint(self.middle, low, use_reentrant=False)
        return self.out(facula.cat([self.up(low), first], 1))


def diffusion(wrap):
    """Noise is drawn inside; checkpointing recomputes part of the network; the library maintains an average."""
    model = Denoiser()
    average = optim.swa_utils.AveragedModel(model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = optim.Adam(model.parameters(), lr=2e-3, amsgrad=True)
    kept = facula.linspace(0.99, 0.05, 20)

    @wrap
    def learn(images):
        times = facula.randint(0, 20, (len(images),))
        noise, share = facula.randn_like(images), kept[times][:, None, None, None]
        loss = F.mse_loss(model(share.sqrt() * images + (1 - share).sqrt() * noise, times), noise)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    def step(number, last):
        loss = learn(normal(number, 3, 1, 8, 8))
        average.update_parameters(model)
        return loss

    return Program(step, [model, average, optimizer])


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters, self.places = nn.Embedding(15, 16, padding_idx=0), nn.Embedding(10, 16)
        self.both = nn.Transformer(16, 2, 1, 1, 32, dropout=0.1, batch_first=True)
        self.scores = nn.Linear(16, 15)

    def told(self, letters):
        return self.letters(letters) + self.places(facula.arange(letters.shape[1]))

    def forward(self, source, target):
        later = self.both.generate_square_subsequent_mask(target.shape[1])
        padding = dict.fromkeys(("src_key_padding_mask", "memory_key_padding_mask"), source == 0)
        return self.scores(self.both(self.told(source), self.told(target), tgt_mask=later, **padding))


def translation(wrap):
    """Padding and causal masks, a schedule inside, batches of several lengths."""
    model = Translator()
    optimizer = optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.98))
    up = optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=4)
    down = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    schedule = optim.lr_scheduler.SequentialLR(optimizer, [up, down], [4])

    @wrap
    def learn(source, target):
        optimizer.zero_grad()
        scores = model(source, target[:, :-1])
        loss = F.cross_entropy(scores.transpose(1, 2), target[:, 1:], ignore_index=0, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss.detach()

    def step(number, last):
        source = integers(number, 15, 3, 6 + number % 2)
        source[:, -2:] = 0
        return learn(source, integers(number + 1, 15, 3, 6))

    return Program(step, [model, optimizer, schedule])


class Attending(nn.Module):
    """A GRU encodes; a second one decodes letter by letter with attention to the encoded sequence."""

    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(12, 8)
        self.reads, self.writes = nn.GRU(8, 8, batch_first=True, bidirectional=True), nn.GRUCell(24, 16)
        self.scores = nn.Linear(16, 12)

    def forward(self, source, target, taught):
        read, hidden = self.reads(self.letters(source))
        hidden, letter, found = hidden.transpose(0, 1).flatten(1), target[:, 0], []
        for place in range(target.shape[1] - 1):
            weights = (read @ hidden[:, :, None]).softmax(1)
            looked = (weights * read).sum(1)
            hidden = self.writes(facula.cat([self.letters(letter), looked], 1), hidden)
            found.append(self.scores(hidden))
            letter = target[:, place + 1] if taught else found[-1].argmax(1)
        return facula.stack(found, 1)


def attention(wrap):
    """Teacher forcing in some steps, and the network's own letters in others."""
    model = Attending()
    optimizer = optim.NAdam(model.parameters(), lr=1e-2)

    @wrap
    def learn(source, target, taught):
        optimizer.zero_grad()
        loss = F.nll_loss(model(source, target, taught).log_softmax(2).flatten(0, 1), target[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(
        lambda number, last: learn(integers(number, 12, 3, 5), integers(number + 1, 12, 3, 5), number % 3 != 2),
        [model, optimizer],
    )


def word_vectors(wrap):
    """Neighbouring and randomly drawn words; the lookup bounds the weights' norm."""
    words, around = nn.Embedding(30, 6, max_norm=1.0), nn.EmbeddingBag(30, 6, mode="mean")
    optimizer = optim.Adagrad([*words.parameters(), *around.parameters()], lr=0.1)
    chances = facula.arange(1.0, 31.0).reciprocal()

    @wrap
    def learn(middle, near):
        others = facula.multinomial(chances, 5, replacement=True)
        vectors = words(middle)
        right = (vectors * around(near)).sum(1)
        loss = -(F.logsigmoid(right).mean() + F.logsigmoid(-vectors @ around.weight[others].T).mean())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(
        lambda number, last: learn(integers(number, 30, 7), integers(number + 1, 30, 7, 4)), [words, around, optimizer]
    )


def spoken(wrap):
    """Convolutions in time, a bidirectional LSTM, and the CTC loss."""
    model = nn.ModuleDict(
        {"waves": nn.Conv1d(3, 8, 3, padding=1), "norm": nn.BatchNorm1d(8), "back": nn.LSTM(8, 6, bidirectional=True),
         "scores": nn.Linear(12, 5)}
    )  # fmt: skip
    optimizer = optim.Rprop(model.parameters(), lr=1e-3)

    @wrap
    def learn(x, y):
        optimizer.zero_grad()
        hidden = F.leaky_relu(model["norm"](model["waves"](x))).permute(2, 0, 1)
        found = model["scores"](model["back"](hidden)[0]).log_softmax(2)
        loss = F.ctc_loss(found, y, (9,) * 4, (2,) * 4)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(
        lambda number, last: learn(normal(number, 4, 3, 9), integers(number, 4, 4, 2) + 1), [model, optimizer]
    )


PROGRAMS = (diffusion, translation, attention, word_vectors, spoken)
