"""Half characters that are pasted: made into � before they leave the browser.

A lone surrogate (half of an emoji, left over from a cut) can't be sent: the connection would break, and the page would say
nothing. The browser draws it as � anyway, so what is seen stays as typed, and the page can say what happened.
"""

from __future__ import annotations

import streamlit as st

REPLACEMENT = "�"

# In the capture phase: before React reads the box. The setter of the prototype is the one that React hasn't wrapped.
_SCRIPT = """
function mend({ target }) {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return;
  if (target.value.isWellFormed()) return;
  const { selectionStart, selectionEnd } = target;
  const prototype = target instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value").set.call(target, target.value.toWellFormed());
  target.setSelectionRange(selectionStart, selectionEnd);
}

export default function () {
  document.addEventListener("input", mend, true);
  return () => document.removeEventListener("input", mend, true);
}
"""

_mount = st.components.v2.component("txlviz_whole_characters", js=_SCRIPT)


def guard() -> None:
    """Watches all text boxes of the page. Draws nothing."""
    with st.container(key="txl-guard"):
        _mount(key="whole_characters")
