"""The study: two recorded runs of a preset, compared."""
