"""The parts of the Speed and generation page."""
