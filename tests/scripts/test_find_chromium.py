"""Finding or installing the browser, on machines made up of a PATH with a few empty programs in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import find_chromium

Add = Callable[[str], str]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Puts an empty program of that name on PATH, which holds nothing else, and returns its path."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)

    def program(name: str) -> str:
        path = tmp_path / name
        path.write_text("")
        path.chmod(0o755)
        return str(path)

    return program


class Runs:
    """Stands in for ``subprocess.run``: keeps the commands, fails those that contain ``failing``, can act on one."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.failing: str | None = None
        self.on_install: Callable[[], object] = lambda: None

    def __call__(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        if self.failing in command:
            return subprocess.CompletedProcess(command, 1)
        if "install" in command:
            self.on_install()
        return subprocess.CompletedProcess(command, 0)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    runs = Runs()
    monkeypatch.setattr(find_chromium.subprocess, "run", runs)
    return runs


def be_root(monkeypatch: pytest.MonkeyPatch, root: bool) -> None:
    monkeypatch.setattr(find_chromium.os, "geteuid", lambda: 0 if root else 1000)


@pytest.mark.parametrize("name", find_chromium.NAMES)
def test_prints_the_path_and_nothing_else(name: str, add: Add, runs: Runs, capfd: pytest.CaptureFixture[str]) -> None:
    path = add(name)
    find_chromium.main()
    assert capfd.readouterr() == (path + "\n", "")
    assert runs.commands == []


def test_takes_chromium_before_chrome(add: Add) -> None:
    add("google-chrome")
    chromium = add("chromium")
    assert find_chromium.find() == chromium


@pytest.mark.parametrize("by_name", [True, False])
def test_the_variable_comes_first(by_name: bool, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    add("chromium")
    path = add("my-browser")
    monkeypatch.setenv("CHROMIUM", "my-browser" if by_name else path)
    assert find_chromium.find() == path


def test_a_wrong_variable_is_an_error_even_where_path_has_one(add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    add("chromium")
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(SystemExit, match=r"CHROMIUM is set to /nowhere/chromium"):
        find_chromium.main()


def test_root_installs_it(add: Add, runs: Runs, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    be_root(monkeypatch, True)
    add("apt-get")
    runs.on_install = lambda: add("chromium")
    find_chromium.main()
    out, err = capfd.readouterr()
    assert out == f"{find_chromium.find()}\n"
    assert "installing" in err
    assert [" ".join(c) for c in runs.commands] == [
        "env DEBIAN_FRONTEND=noninteractive apt-get update",
        "env DEBIAN_FRONTEND=noninteractive apt-get install -y chromium",
    ]


def test_a_sudo_that_asks_nothing_will_do(add: Add, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    be_root(monkeypatch, False)
    add("apt-get")
    add("sudo")
    runs.on_install = lambda: add("chromium")
    find_chromium.main()
    assert runs.commands[0] == ["sudo", "-n", "true"]
    assert all(command[:2] == ["sudo", "-n"] for command in runs.commands)


@pytest.mark.parametrize(
    ("programs", "root", "failing"),
    [
        ([], True, None),  # no apt-get
        (["apt-get"], False, None),  # no rights
        (["apt-get", "sudo"], False, "true"),  # a sudo that wants a password
        (["apt-get"], True, "update"),  # no network
        (["apt-get"], True, "install"),  # no such package
    ],
)
def test_otherwise_one_sentence(
    programs: list[str], root: bool, failing: str | None, add: Add, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_root(monkeypatch, root)
    for name in programs:
        add(name)
    runs.failing = failing
    with pytest.raises(SystemExit) as end:
        find_chromium.main()
    sentence = end.value.code  # a text as code: Python prints it to stderr and ends with status 1
    assert isinstance(sentence, str)
    assert "install the package chromium" in sentence
    assert "apt-get install chromium" in sentence
    assert sentence.count(". ") == 0
    assert "\n" not in sentence
    assert sum("apt-get" in command for command in runs.commands) == {None: 0, "true": 0, "update": 1, "install": 2}[failing]
