"""The two models and the parts that they share."""

from txlviz.models.attention import TERMS, Recorder, Term
from txlviz.models.config import ModelConfig
from txlviz.models.key_value_cache import KeyValueCache
from txlviz.models.language_model import LanguageModel, Memory, Output
from txlviz.models.transformer_xl import TransformerXL
from txlviz.models.vanilla import VanillaTransformer

__all__ = [
    "TERMS",
    "KeyValueCache",
    "LanguageModel",
    "Memory",
    "ModelConfig",
    "Output",
    "Recorder",
    "Term",
    "TransformerXL",
    "VanillaTransformer",
    "build",
]


def build(config: ModelConfig) -> LanguageModel:
    """A model with fresh weights from torch's global random state."""
    return TransformerXL(config) if config.kind == "xl" else VanillaTransformer(config)
