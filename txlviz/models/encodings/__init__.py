"""Position systems: ways to tell a Transformer where its tokens stand, each in a module of its own."""

from txlviz.models.encodings.alibi import ALiBi
from txlviz.models.encodings.base import PositionSystem
from txlviz.models.encodings.learned import Learned
from txlviz.models.encodings.relative import Relative
from txlviz.models.encodings.rotary import Rotary
from txlviz.models.encodings.shaw import Shaw
from txlviz.models.encodings.sinusoidal import Sinusoids

ENCODINGS: dict[str, type[PositionSystem]] = {
    "none": PositionSystem,
    "sinusoids": Sinusoids,
    "learned": Learned,
    "shaw": Shaw,
    "xl": Relative,
    "rotary": Rotary,
    "alibi": ALiBi,
}
"""By the names that ``SystemConfig.encoding`` takes."""

__all__ = ["ENCODINGS", "ALiBi", "Learned", "PositionSystem", "Relative", "Rotary", "Shaw", "Sinusoids"]
