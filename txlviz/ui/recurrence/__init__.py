"""The Recurrence and memory page, but for its cone: the stepper, the growth of the span, and the folds."""
