"""What every test shares."""

import os

from hypothesis import settings

# No deadline: a first call into torch takes far longer than the next. In CI the same examples every time.
settings.register_profile("txlviz", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("txlviz")
