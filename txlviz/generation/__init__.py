"""Text from the models."""

from txlviz.generation.sampling import Sampling
from txlviz.generation.streams import GREEDY, Step, generate, pieces, stream

__all__ = ["GREEDY", "Sampling", "Step", "generate", "pieces", "stream"]
