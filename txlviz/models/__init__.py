"""The two models, the parts that they share, and models of chosen parts."""

from typing import Any

from txlviz.models.attention import TERMS, Recorder, Term
from txlviz.models.config import ModelConfig
from txlviz.models.key_value_cache import KeyValueCache
from txlviz.models.language_model import LanguageModel, Memory, Output
from txlviz.models.recurrent import RecurrentModel
from txlviz.models.system import SystemTransformer
from txlviz.models.system_config import SystemConfig
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
    "RecurrentModel",
    "SystemConfig",
    "SystemTransformer",
    "Term",
    "TransformerXL",
    "VanillaTransformer",
    "build",
    "config_from",
]


def build(config: ModelConfig) -> LanguageModel:
    """A model with fresh weights from torch's global random state."""
    if isinstance(config, SystemConfig):
        return SystemTransformer(config)
    return TransformerXL(config) if config.kind == "xl" else VanillaTransformer(config)


def config_from(values: dict[str, Any]) -> ModelConfig:
    """The config of the kind that ``values`` name. ValueError as in ``ModelConfig.from_dict``."""
    return (SystemConfig if values.get("kind") == "system" else ModelConfig).from_dict(values)
