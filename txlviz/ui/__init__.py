"""The widgets and the session behind the pages. The only part of the package that knows Streamlit.

Streamlit takes a folder named ``pages`` for its older kind of multipage app until ``st.navigation`` has run once in the
process, and would run the page of the very first visitor without ``app.py``. So the first import says that this app is of the
newer kind, and starts that visitor's run again.
"""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

if PagesManager.uses_pages_directory:
    PagesManager.uses_pages_directory = False
    st.rerun()
