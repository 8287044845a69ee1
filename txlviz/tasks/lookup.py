"""The lookup task: in texts of random symbols, each place asks for the symbol D places before it; the texts grow longer.

It asks how exactly a model can address one token among n. What is compared are attentions that see the whole text at once:
every token by itself (``full``), and k rows that mix all tokens (``linformer``). A model goes from the shortest texts to the
longest and takes along what it has learned: from scratch, even full attention found no source among 256 places in 600 steps.
With each length it goes on until it learns no more: 300 steps a length left Linformer with k = 128 at half of what it can.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from txlviz.models import ModelConfig, VanillaTransformer
from txlviz.models.attention import MultiHeadAttention
from txlviz.models.attentions.full import TwoSidedAttention
from txlviz.models.attentions.linformer import LinformerAttention
from txlviz.models.attentions.swapped import with_attention

VOCABULARY = 16
CHANCE = 1 / VOCABULARY
_SCORED = 16384
_TESTED, _HELD_OUT = 1_000_003, 1_000_033  # seeds of texts: one scores, the other says when a stage ends


@dataclass(frozen=True)
class LookupSettings:
    """All choices of one run."""

    rank: int | None = None
    """(k) of Linformer; None: full attention, without a mask."""
    lengths: tuple[int, ...] = (32, 64, 128, 256, 512)
    """(n) tokens of a text, stage by stage."""
    at_most: int = 8000
    """Optimizer steps of a stage before its learning rate falls, if the loss hasn't got flat by then."""
    check_every: int = 100
    """Steps between two looks at the held-out loss."""
    flat_steps: int = 1000
    """A stage is flat when so many steps in a row haven't brought its held-out loss ``flat`` nats below the lowest before."""
    flat: float = 0.01
    last_steps: int = 300
    """Steps in which the learning rate then falls to 0; it rises anew in each stage."""
    delay: int = 16
    """(D) places from the source to where it is asked for. The first D places aren't asked."""
    tokens: int = 2048
    """Tokens a step, whatever n is: B = tokens / n texts."""
    n_layers: int = 2
    n_heads: int = 2
    d_model: int = 64
    d_inner: int = 128
    learning_rate: float = 3e-3
    warmup_steps: int = 30
    clip_norm: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.lengths or min(self.at_most, self.check_every, self.flat_steps, self.last_steps) < 1:
            raise ValueError("at least one length is needed, and all numbers of steps must be at least 1")
        if not 1 <= self.delay < min(self.lengths) or self.tokens < max(self.lengths):
            raise ValueError(
                f"delay is {self.delay!r} and tokens {self.tokens!r}: the delay must lie inside the shortest text, "
                "and the longest inside a step"
            )


@dataclass(frozen=True)
class Stage:
    """What a model can do after its training on texts of one length."""

    n: int
    accuracy: float
    """Share of right answers on texts that it hasn't seen; ``CHANCE`` knows nothing."""
    loss: float
    """Nats an answer."""
    steps: int
    """Optimizer steps of this stage."""
    converged: bool
    """Whether the held-out loss had got flat, rather than the steps run out."""


def model(settings: LookupSettings) -> VanillaTransformer:
    """A fresh model in training mode. Linformer's projections are made for the longest texts; shorter ones use a part."""
    longest, k = max(settings.lengths), settings.rank

    def attention(config: ModelConfig, layer: int) -> MultiHeadAttention:
        if k is None:
            return TwoSidedAttention(config, layer)
        return LinformerAttention(config, layer, rank=k, longest=longest, seed=settings.seed + layer)

    sizes = (settings.n_layers, settings.n_heads, settings.d_model, settings.d_inner)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        base = VanillaTransformer(ModelConfig("vanilla", VOCABULARY, *sizes, segment_length=longest))
    return with_attention(base, attention).train()


def batch(n: int, texts: int, delay: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """(B, n) symbols, and (B, n - D) what is asked for at the places from D on: the symbols D before."""
    ids = torch.randint(VOCABULARY, (texts, n), generator=random)
    return ids, ids[:, : n - delay]


def train(settings: LookupSettings) -> Iterator[Stage | None]:
    """Trains one model on texts of each length in turn: None after every step, and a ``Stage`` at the end of each length.

    A stage goes on until the loss on held-out texts is flat, at most ``at_most`` steps; then its learning rate falls to 0.
    """
    learner, random = model(settings), torch.Generator().manual_seed(settings.seed)
    for n in settings.lengths:
        optimizer = torch.optim.AdamW(learner.parameters(), settings.learning_rate, (0.9, 0.99), weight_decay=0.0, fused=True)
        flatness, steps = _Flatness(settings), 0
        while not flatness.reached and steps < settings.at_most:
            steps += 1
            _step(learner, optimizer, settings, n, random, min(1.0, steps / settings.warmup_steps))
            if steps % settings.check_every == 0:
                flatness.tell(_scored(learner, settings, n, _HELD_OUT)[1])
            yield None
        for left in range(settings.last_steps, 0, -1):
            _step(learner, optimizer, settings, n, random, left / settings.last_steps)
            yield None
        accuracy, loss = _scored(learner, settings, n, _TESTED)
        yield Stage(n, accuracy, loss, steps + settings.last_steps, flatness.reached)


class _Flatness:
    """Whether the held-out loss of a stage has stopped falling."""

    def __init__(self, settings: LookupSettings) -> None:
        self._least, self._patience = settings.flat, -(-settings.flat_steps // settings.check_every)
        self._lowest, self._in_vain = math.inf, 0

    def tell(self, loss: float) -> None:
        """The loss at one more look."""
        if loss <= self._lowest - self._least:
            self._lowest, self._in_vain = loss, 0
        else:
            self._in_vain += 1

    @property
    def reached(self) -> bool:
        return self._in_vain >= self._patience


def _step(
    learner: VanillaTransformer,
    optimizer: torch.optim.Optimizer,
    settings: LookupSettings,
    n: int,
    random: torch.Generator,
    rate: float,
) -> None:
    """One optimizer step at ``rate`` (0 to 1) of the learning rate."""
    for group in optimizer.param_groups:
        group["lr"] = settings.learning_rate * rate
    ids, wanted = batch(n, settings.tokens // n, settings.delay, random)
    loss = learner.mean_loss(learner(ids).hidden[:, settings.delay :], wanted)
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(learner.parameters(), settings.clip_norm)
    optimizer.step()


@torch.inference_mode()
def _scored(learner: VanillaTransformer, settings: LookupSettings, n: int, seed: int) -> tuple[float, float]:
    """The share of right answers, and nats an answer, on texts that ``seed`` draws and training never sees."""
    ids, wanted = batch(n, -(-_SCORED // n), settings.delay, torch.Generator().manual_seed(seed))
    learner.eval()
    logits = learner.logits(torch.cat([learner(part).hidden[:, settings.delay :] for part in torch.split(ids, 16)]))
    learner.train()
    right = (logits.argmax(-1) == wanted).double().mean()
    return float(right), float(F.cross_entropy(logits.flatten(0, 1), wanted.flatten()))
