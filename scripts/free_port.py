"""Prints a free port: Streamlit's usual 8501 or one just above it, so that the app keeps its address from run to run.

A port is free when it can be bound, and only trying tells. It is given back at once, so another program could still take it
before the app does; the app then says so and ends.

    python scripts/free_port.py [HOST]
"""

from __future__ import annotations

import socket
import sys
from contextlib import suppress

FIRST, LAST = 8501, 8599


def is_free(host: str, port: int) -> bool:
    """Whether every address of ``host`` (localhost has two: IPv4 and IPv6) lets this port be bound."""
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        try:
            probe = socket.socket(family, kind, protocol)
        except OSError:
            continue  # a machine without IPv6 may still list its address
        with probe:
            # A server that has just ended leaves its port waiting for a minute; servers may bind it all the same.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(address)
                continue
        return False
    return True


def free_port(host: str = "localhost") -> int:
    """The first free port from 8501 on."""
    for port in range(FIRST, LAST + 1):
        if is_free(host, port):
            return port
    sys.exit(f"no port from {FIRST} to {LAST} is free on {host}: give one with PORT=…")


if __name__ == "__main__":
    print(free_port(*sys.argv[1:2]))
