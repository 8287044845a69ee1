"""Small models for tests, with weights large enough that each part of a model shows in its output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from txlviz.models import LanguageModel, Memory, ModelConfig, Term, TransformerXL, VanillaTransformer, build
from txlviz.models.attention import AbsoluteAttention, RelativeAttention

VOCABULARY = 40
Model = TypeVar("Model", bound=nn.Module)


def config(kind: str = "xl", **changes: Any) -> ModelConfig:
    """Two layers, two heads, width 16, memory 6 (none for the vanilla model), with changes."""
    sizes: dict[str, Any] = {"vocab_size": VOCABULARY, "n_layers": 2, "n_heads": 2, "d_model": 16, "d_inner": 24}
    return ModelConfig.from_dict({"kind": kind, "mem_len": 6 if kind == "xl" else 0} | sizes | changes)


def randomised(model: Model, seed: int = 0, std: float = 0.3) -> Model:
    """The same model in eval mode, its weights drawn from N(0, std), layer norm weights around 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0.0, std, generator=generator)
            if name.endswith("norm.weight"):
                parameter.add_(1.0)
    return model.eval()


def xl(**changes: Any) -> TransformerXL:
    """A small Transformer-XL in eval mode."""
    return randomised(TransformerXL(config("xl", **changes)))


def vanilla(**changes: Any) -> VanillaTransformer:
    """A small vanilla model in eval mode."""
    return randomised(VanillaTransformer(config("vanilla", **changes)))


def either(kind: str, **changes: Any) -> LanguageModel:
    """A small model of the kind, in eval mode."""
    return randomised(build(config(kind, **changes)))


def attentions(model: LanguageModel) -> list[Any]:
    """The attention of each block."""
    return [m for m in model.modules() if isinstance(m, RelativeAttention | AbsoluteAttention)]


def random_ids(batch: int, length: int, *, seed: int = 0, low: int = 0, high: int = VOCABULARY) -> Tensor:
    """(B, L) token ids."""
    return torch.randint(low, high, (batch, length), generator=torch.Generator().manual_seed(seed))


def random_tensor(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """N(0, 1) numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def replaced(ids: Tensor, place: int) -> Tensor:
    """The ids with another token at one place, in each text of the batch."""
    changed = ids.clone()
    changed[:, place] = (changed[:, place] + 1) % VOCABULARY
    return changed


def in_segments(
    model: LanguageModel, segments: Iterable[Tensor], memory: Sequence[Tensor] | None = None
) -> tuple[Tensor, Memory]:
    """The hidden states of a text that is read segment by segment, and the memory after it."""
    hidden: list[Tensor] = []
    for segment in segments:
        output = model(segment, memory)
        hidden.append(output.hidden)
        memory = output.memory
    return torch.cat(hidden, dim=1), tuple(memory or ())


@dataclass(frozen=True)
class Recorded:
    """What one layer reported."""

    layer: int
    terms: dict[Term, Tensor] | None
    scores: Tensor
    ordinary: Tensor
    visible: Tensor

    @property
    def rebuilt(self) -> Tensor:
        """The weights that follow from the scores."""
        return self.scores.softmax(-1)

    @property
    def split(self) -> dict[Term, Tensor]:
        """The terms of a layer that has them."""
        assert self.terms is not None
        return self.terms


@dataclass
class Keep:
    """A recorder that keeps what each layer reports; the model goes on with what ``choose`` makes of it."""

    choose: Callable[[Recorded], Tensor] = lambda record: record.rebuilt
    layers: list[Recorded] = field(default_factory=list)

    def attention_weights(
        self, layer: int, terms: dict[Term, Tensor] | None, scores: Tensor, ordinary: Tensor, visible: Tensor
    ) -> Tensor:
        """Keeps the report of one layer."""
        self.layers.append(Recorded(layer, terms, scores, ordinary, visible))
        return self.choose(self.layers[-1])


@contextmanager
def inputs_of(modules: Iterable[nn.Module]) -> Iterator[list[tuple[Any, ...]]]:
    """A list that collects the positional inputs of each call of the modules, in order."""
    calls: list[tuple[Any, ...]] = []
    handles = [module.register_forward_pre_hook(lambda _, inputs: calls.append(inputs)) for module in modules]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()
