"""The parts of the Echo test page."""
