"""Choosing a port that nothing else holds."""

from __future__ import annotations

import socket

import pytest

from scripts import free_port


def test_a_held_port_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        monkeypatch.setattr(free_port, "FIRST", port)
        monkeypatch.setattr(free_port, "LAST", port + 20)
        assert not free_port.is_free("127.0.0.1", port)
        assert port < free_port.free_port("127.0.0.1") <= port + 20


def test_a_port_is_free_again_once_its_server_has_ended() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    assert free_port.is_free("127.0.0.1", port)


def test_one_sentence_where_none_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_port, "is_free", lambda host, port: False)
    with pytest.raises(SystemExit, match=r"give one with PORT=…$"):
        free_port.free_port()
