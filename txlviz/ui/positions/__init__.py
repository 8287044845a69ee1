"""The Relative positions page: its controls, the figures that are always shown, and the folds."""
