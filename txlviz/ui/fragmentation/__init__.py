"""The parts of the Context fragmentation page."""
