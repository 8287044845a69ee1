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
        "How does it remember?": [
            st.Page("pages/context_fragmentation.py", title="Context fragmentation"),
            st.Page("pages/recurrence_and_memory.py", title="Recurrence and memory"),
            st.Page("pages/echo_test.py", title="Echo test"),
        ],
        "How does it know where?": [
            st.Page("pages/relative_positions.py", title="Relative positions"),
            st.Page("pages/score_terms.py", title="Score terms"),
        ],
        "Does it help?": [
            st.Page("pages/effective_context.py", title="Effective context"),
            st.Page("pages/speed_and_generation.py", title="Speed and generation"),
            st.Page("pages/the_study.py", title="The study"),
        ],
        "Compared with what?": [
            st.Page("pages/landscape.py", title="Landscape"),
            st.Page("pages/claims_checked.py", title="Claims, checked"),
        ],
    }
)
