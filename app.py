"""The entry of the app: the list of pages, the look, and what every page needs.

streamlit run app.py
"""

import streamlit as st

from txlviz.ui import menu, models, theme

st.set_page_config(page_title="Transformer-XL, live", page_icon=str(theme.ICON), layout="wide")
theme.apply()
models.warm_up()
menu.run(
    {
        "": [st.Page("pages/start.py", title="Start", default=True)],
        "How does it know where?": [st.Page("pages/score_terms.py", title="Score terms")],
    }
)
