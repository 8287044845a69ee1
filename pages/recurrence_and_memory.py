"""What reaches a token: the dependency cone, the memory's rows step by step, and the span that grows with the layers."""

import streamlit as st

from txlviz.ui import cone, recurrence, recurrence_folds, session
from txlviz.ui.recurrence_span import SpanGrowth

st.title(recurrence.prose("title"), anchor=False)
st.markdown(recurrence.prose("opening"))
settings = session.controls()
cone.draw(settings)
recurrence.stepper(settings)
span = SpanGrowth(settings)
span.draw()
recurrence_folds.rnn()
cache = recurrence_folds.KeyValueCache(settings)
cache.draw()

cone.finish()
cache.finish()
span.finish()
