"""The dependency cone of the selected token, with three lenses: can reach, does change, gets gradient.

How a page mounts it, with the settings from ``session.controls()``::

    from txlviz.ui import cone

    cone.draw(settings)     # where the figure shall stand: the controls, the figure, the formulas beside it
    ...                     # the rest of the page
    cone.finish()           # at the end of the script: the slow part of "does change", in small pieces, with its progress
"""

from txlviz.ui.cone.view import draw, finish

__all__ = ["draw", "finish"]
