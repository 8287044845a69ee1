"""What ends the fall of the loss with more context: the passes' length, what training showed, or the model. Claims 3 and 4."""

from __future__ import annotations

from txlviz.analysis.context_record import ContextRecord
from txlviz.analysis.context_stream import limit, trained_context
from txlviz.checkpoint import Checkpoint
from txlviz.claims.claim import Numbers


def limits(record: ContextRecord, xl: Checkpoint, size: str) -> Numbers:
    """The limit, and what it follows from; lengths in tokens. A record without streams says nothing of them."""
    flat, stream = record.facts["curves"]["xl"]["flat_low_high"], record.facts.get("recurrent")
    longest, shown = record.contexts[-1], trained_context(xl.card)
    found: Numbers = {"longest_pass": longest, f"shown_{size}": shown, f"limit_{size}": limit(flat, longest, shown)}
    if stream is None:
        return found
    at = next(at for at, c in enumerate(stream["contexts"]) if c >= record.facts["curves"]["xl"]["flat"])
    return found | {
        f"stream_flat_{size}": stream["flat"],
        f"stream_gain_{size}": stream["gain"][at],
        f"stream_gain_low_{size}": stream["gain_low"][at],
        f"stream_gain_high_{size}": stream["gain_high"][at],
    }
