"""The menu: all pages, each group under its question, in one line above the page; the page that is shown is marked.

Streamlit's own menu on top folds each group, so that a group of one page would be a riddle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from txlviz.ui import session


def run(groups: Mapping[str, Sequence[StreamlitPage]]) -> None:
    """Draws the menu, and runs the page that the address names. A group without a name has no heading."""
    shown = st.navigation({name: list(pages) for name, pages in groups.items()}, position="hidden")
    session.enter(shown.url_path)
    address = session.address()
    with st.container(key="txl-menu", horizontal=True, gap=None):
        for n, (name, pages) in enumerate(groups.items()):
            here = "-here" if shown in pages else ""
            with st.container(key=f"txl-group-{n}{here}", gap=None, width="content"):
                if name:
                    st.caption(name, width="content")
                with st.container(horizontal=True, gap=None, width="content"):
                    for page in pages:
                        st.page_link(page, width="content", query_params=address)
    shown.run()
    session.leave()
