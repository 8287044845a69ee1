"""Small tasks with a known answer, on which the real models are trained in seconds: the echo task."""

from txlviz.tasks.echo import EchoStreams, EchoTask, in_sight, stream
from txlviz.tasks.scoring import accuracy_by_position
from txlviz.tasks.training import EchoRun, Settings, Step, train

__all__ = ["EchoRun", "EchoStreams", "EchoTask", "Settings", "Step", "accuracy_by_position", "in_sight", "stream", "train"]
