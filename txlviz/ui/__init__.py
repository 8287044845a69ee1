"""The widgets and the session behind the pages. The only part of the package that knows Streamlit.

Streamlit takes a folder named ``pages`` for its older kind of multipage app until ``st.navigation`` has run once in the
process, and runs the pages of those who come first without ``app.py``: without the menu, the colours and the style sheet. So
the first import says that this app is of the newer kind, and starts that visitor's run again; ``session.controls``, which every
page calls, does so for others who came at the same moment.
"""

from typing import NoReturn

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager


def again_through_app() -> NoReturn:
    """Ends this run of a page, which began without ``app.py``, and starts it again from there."""
    PagesManager.uses_pages_directory = False
    st.rerun()


if PagesManager.uses_pages_directory:
    again_through_app()
