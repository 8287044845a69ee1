"""The lookup task: in texts of random symbols, each place asks for the symbol D places before it; the texts grow longer.

It asks how exactly a model can address one token among n. What is compared are attentions that see the whole text at once:
every token by itself (``full``), and k rows that mix all tokens (``linformer``). A model goes from the shortest texts to the
longest and takes along what it has learned: from scratch, even full attention found no source among 256 places in 600 steps.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class LookupSettings:
    """All choices of one run."""

    rank: int | None = None
    """(k) of Linformer; None: full attention, without a mask."""
    lengths: tuple[int, ...] = (32, 64, 128, 256, 512)
    """(n) tokens of a text, stage by stage."""
    steps: tuple[int, ...] = (1000, 300, 300, 300, 300)
    """Optimizer steps of each stage; the learning rate rises and falls anew in each."""
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
        if not self.lengths or len(self.lengths) != len(self.steps) or min(self.steps) < 1:
            raise ValueError(f"lengths are {self.lengths!r} and steps {self.steps!r}: one number of steps a length is needed")
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
    """Trains one model on texts of each length in turn: None after every step, and a ``Stage`` at the end of each length."""
    learner, random = model(settings), torch.Generator().manual_seed(settings.seed)
    for n, steps in zip(settings.lengths, settings.steps, strict=True):
        optimizer = torch.optim.AdamW(learner.parameters(), settings.learning_rate, (0.9, 0.99), weight_decay=0.0, fused=True)
        for step in range(steps):
            risen, left = (step + 1) / settings.warmup_steps, (steps - step) / (0.3 * steps)
            for group in optimizer.param_groups:
                group["lr"] = settings.learning_rate * min(1.0, risen, left)
            ids, wanted = batch(n, settings.tokens // n, settings.delay, random)
            loss = learner.mean_loss(learner(ids).hidden[:, settings.delay :], wanted)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(learner.parameters(), settings.clip_norm)
            optimizer.step()
            yield None
        yield _scored(learner, settings, n, steps)


@torch.inference_mode()
def _scored(learner: VanillaTransformer, settings: LookupSettings, n: int, steps: int) -> Stage:
    ids, wanted = batch(n, -(-_SCORED // n), settings.delay, torch.Generator().manual_seed(1_000_003))
    learner.eval()
    logits = learner.logits(torch.cat([learner(part).hidden[:, settings.delay :] for part in torch.split(ids, 16)]))
    learner.train()
    right = (logits.argmax(-1) == wanted).double().mean()
    return Stage(n, float(right), float(F.cross_entropy(logits.flatten(0, 1), wanted.flatten())), steps)
