"""One digest of all source that a measurement runs: other code may measure other numbers, other words about it can't."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

PACKAGE = "txlviz"
_ROOT = Path(__file__).parent
_LEFT_OUT = tuple(
    f"{PACKAGE}.{part}"
    for part in (
        *("ui", "figures", "content"),  # draw and explain: no recorded number comes from there
        *("recorded", "source_digest", "commands.pair", "commands.arguments", "commands.kept_runs"),  # options and files
    )
)
_SAID = ("add_parser", "add_options", "_lines")  # a command's options and what it prints, in words


@lru_cache(maxsize=64)
def digest(module: str) -> str:
    """Of ``module`` (``txlviz.commands.measure.context``) and all that it imports from the package, directly or not.

    Comments, docstrings, layout, options' words and the names of modules don't count. Texts that are measured do: those named
    in ``sections("…")``. ValueError where there is no such module.
    """
    sources = {hashlib.sha256(_essence(name).encode()).hexdigest() for name in modules(module)}
    return hashlib.sha256("".join(sorted(sources)).encode()).hexdigest()


def modules(module: str) -> list[str]:
    """The names of all modules that count, in alphabetical order."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and not name.startswith(_LEFT_OUT):
            found.add(name)
            waiting += _imported(_tree(name))
    return sorted(found)


def _path(module: str) -> Path | None:
    """The file of a module of the package, None for any other name."""
    parts = module.split(".")
    if parts[0] != PACKAGE:
        return None
    place = _ROOT.joinpath(*parts[1:])
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


@lru_cache(maxsize=256)
def _tree(module: str) -> ast.Module:
    path = _path(module)
    if path is None:
        raise ValueError(f"there is no module {module!r} in {PACKAGE}")
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.split(".")[0] == PACKAGE)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == PACKAGE:
            yield from (_origin(node.module, one.name) for one in node.names)


def _origin(module: str, name: str) -> str:
    """Where ``from module import name`` takes it from in the end: what a package only hands on stands elsewhere."""
    if _path(f"{module}.{name}"):
        return f"{module}.{name}"
    for node in _tree(module).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == PACKAGE:
            for one in node.names:
                if name == (one.asname or one.name):
                    return _origin(node.module, one.name)
    return module


def _essence(module: str) -> str:
    """A module's source without what doesn't count, and the texts that it measures on."""
    tree = _tree(module)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sections"]
    names = [node.args[0].value for node in calls if isinstance(node.args[0], ast.Constant)]
    texts = [hashlib.sha256((_ROOT / f"content/en/{name!s}.md").read_bytes()).hexdigest() for name in names]
    return repr([_plain(tree), *texts])


def _plain(value: Any) -> Any:
    """A syntax tree as lists. ``ast.dump`` would do, were it the same in all versions of Python."""
    if isinstance(value, list):
        return [_plain(one) for one in value if not _is_said(one)]
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = [(name, _plain(field)) for name, field in ast.iter_fields(value) if field is not None and field != []]
    return [type(value).__name__, *fields]


def _is_said(node: Any) -> bool:
    """Whether it is a docstring, or a function that only says something."""
    if isinstance(node, ast.FunctionDef):
        return node.name in _SAID
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
