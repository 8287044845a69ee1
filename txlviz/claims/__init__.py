"""Claims about Transformer-XL that its paper and write-ups make, each with a measurement and a rule for the verdict."""

from txlviz.claims import (
    context,
    half_loss,
    history,
    learning,
    length,
    linformer,
    longer_memory,
    memory,
    paper,
    parameters,
    quality,
    reach,
    related,
    sparse,
    speed,
    terms,
)
from txlviz.claims.claim import (
    CONDITIONS,
    GUESSES,
    HISTORY,
    HOLDS,
    NOT,
    OPEN,
    VERDICTS,
    Claim,
    Measured,
    Numbers,
    Verdict,
    agrees,
    measured,
)
from txlviz.claims.inputs import Inputs

_MODULES = (
    context,
    half_loss,
    history,
    learning,
    length,
    linformer,
    longer_memory,
    memory,
    paper,
    parameters,
    quality,
    reach,
    related,
    sparse,
    speed,
    terms,
)
CLAIMS: dict[int, Claim] = {
    claim.number: claim for claim in sorted((one for m in _MODULES for one in m.CLAIMS), key=lambda claim: claim.number)
}
"""By number, from 1 on."""

__all__ = [
    "CLAIMS",
    "CONDITIONS",
    "GUESSES",
    "HISTORY",
    "HOLDS",
    "NOT",
    "OPEN",
    "VERDICTS",
    "Claim",
    "Inputs",
    "Measured",
    "Numbers",
    "Verdict",
    "agrees",
    "measured",
]
