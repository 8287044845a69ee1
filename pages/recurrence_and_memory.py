"""What reaches a token: the dependency cone, the memory's rows step by step, and the span that grows with the layers."""

import streamlit as st

from txlviz.ui import cone, session
from txlviz.ui.recurrence import folds, stepper
from txlviz.ui.recurrence.span import SpanGrowth
from txlviz.ui.recurrence.words import prose

st.title(prose("title"), anchor=False)
st.markdown(prose("opening"))
settings = session.controls()
cone.draw(settings)
stepper.draw(settings)
span = SpanGrowth(settings)
span.draw()
folds.rnn()
cache = folds.KeyValueCache(settings)
cache.draw()

cone.finish()
cache.finish()
span.finish()
