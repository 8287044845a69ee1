"""The Effective context page: what could be used, what is, and what breaks when the past is changed."""
