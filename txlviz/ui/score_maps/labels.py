"""The short strings of the figure."""

from __future__ import annotations

from txlviz.ui import text

labels = text.Words("score_terms").labels
