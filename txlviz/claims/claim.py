"""What a checked claim is: a measurement, and a rule that turns its numbers into a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from txlviz.claims.inputs import Inputs
from txlviz.recorded import RecordError

Verdict = Literal["holds", "holds with conditions", "does not hold", "not measured", "can't be measured"]
HOLDS: Verdict = "holds"
CONDITIONS: Verdict = "holds with conditions"
NOT: Verdict = "does not hold"
OPEN: Verdict = "not measured"
"""Nothing here settles it, though a measurement could."""
HISTORY: Verdict = "can't be measured"
"""What others did is no matter of measurement; sources speak for and against it."""
VERDICTS: tuple[Verdict, ...] = (HOLDS, CONDITIONS, NOT, OPEN, HISTORY)
GUESSES: tuple[Verdict, ...] = (HOLDS, CONDITIONS, NOT, OPEN)
"""What a viewer can guess; the fourth stands for the last two."""

Numbers = dict[str, Any]
"""What was measured, by name: what JSON can hold. Names that end in ``2l`` or ``4l`` are of the model with so many layers."""


@dataclass(frozen=True)
class Claim:
    """One claim. Its sentence, the rule in words and what the numbers mean stand in ``content/en/claims_checked.md``."""

    number: int
    measure: Callable[[Inputs], Numbers]
    """Computes the numbers from the models, or from a record where its making takes longer than about two minutes."""
    judge: Callable[[Mapping[str, Any]], Verdict]
    """The rule."""
    live: bool = False
    """Whether a page computes it when it is opened: quick, and without the corpus."""
    needs_corpus: bool = False
    made_by: tuple[str, ...] = ()
    """The commands that make the records which it reads: what follows ``python -m txlviz``."""
    trained_by: tuple[str, ...] = ()
    """The commands that trained what is measured, where the training itself is the subject. They replace the shipped models."""
    by_clock: tuple[str, ...] = ()
    """Names of numbers, without ``2l`` or ``4l``, that differ from run to run since a clock measured them."""
    quoted: bool = False
    """Whether the numbers are the paper's own, and nothing is measured here."""
    history: bool = False
    """Whether the claim is about what others did; sources speak for and against it, and nothing is measured."""

    @property
    def measures(self) -> bool:
        """Whether its numbers are measured here."""
        return not (self.quoted or self.history)


@dataclass(frozen=True)
class Measured:
    """A claim's numbers, and what they say."""

    numbers: Mapping[str, Any]
    verdict: Verdict


def measured(claim: Claim, inputs: Inputs) -> Measured:
    """Measures a claim, and judges it.

    Raises:
        CorpusError: the corpus is needed and can't be had.
        RecordError: a record that it reads is missing, incomplete, or of other weights.
    """
    try:
        numbers = claim.measure(inputs)
    except KeyError as error:
        if not claim.made_by:
            raise
        raise RecordError(f"a record that claim {claim.number} reads is incomplete: it has no {error}") from error
    return Measured(numbers, claim.judge(numbers))


def agrees(guess: Verdict, verdict: Verdict) -> bool:
    """Whether a guess is what the verdict says."""
    return guess == verdict or (guess == OPEN and verdict == HISTORY)


def graded(all_of_it: bool, some_of_it: bool) -> Verdict:
    """The verdict of a rule in two steps."""
    return HOLDS if all_of_it else CONDITIONS if some_of_it else NOT
