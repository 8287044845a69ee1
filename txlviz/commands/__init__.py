"""The commands of ``python -m txlviz``: one file each, with ``add_parser`` and ``run``."""
