"""The entry of the app: the list of pages, the look, and what every page needs.

streamlit run app.py
"""

import streamlit as st

from txlviz.ui import models, theme

st.set_page_config(page_title="Transformer-XL, live", page_icon=str(theme.ICON), layout="wide", initial_sidebar_state="auto")
theme.apply()
models.warm_up()
st.navigation(
    {
        "": [st.Page("pages/start.py", title="Start", default=True)],
        "How does it know where?": [st.Page("pages/score_terms.py", title="Score terms")],
    },
    position="top",
).run()
