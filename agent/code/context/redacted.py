"""Takes string constants that look like secrets out of code: by a name near them, by themselves, or for their length.

A name counts for the whole statement that it stands in, however the two are put together there (compared, assigned in
pairs, given to one call). Of a keyword argument, a parameter's default and a dict's item it counts for that one alone.
"""

from __future__ import annotations

import ast
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator

HIDDEN = "…"
_MAX_STRING_CHARS = 60
_MAX_DOC_CHARS = 200
_MIN_SECRET_CHARS = 2
_WORDS = (
    r"key(?!word|error|board)|token(?!i[sz])|secret|passw|passphrase|passcode|pwd|credential|auth(?!ors?(?![a-z]))|private|dsn|salt|cookie|session"
    r"|bearer|webhook|conn(?:ection)?_?str|(?:database|db|redis|amqp|broker|mongo)_?ur[il]"
)
_SHORT = r"(?<![A-Za-z])(?i:pass|pw|pin|otp|creds?)(?![A-Za-z])|(?<=[a-z])(?:Pass|Pw|Pin|Otp|Creds?)(?![a-z])"
_SECRET_NAME = re.compile(f"(?i:{_WORDS})|{_SHORT}")
_NO_SECRET = re.compile(r"_*keys?_*")  # stand in every other statement: they count only for what they are given
_SECRET_TEXT = re.compile(r"(?=.*\d)[A-Za-z0-9+/=_.-]{16,}|://[^/\s]*:[^/\s]*@|-----BEGIN")
_SECRET_PROSE = re.compile(rf"""(?:{_SECRET_NAME.pattern})\w*['"`)]*(?:\s*[:=]|\s+is\b)\s*\S""")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def redacted(tree: ast.Module, within: str = "") -> ast.AST:
    """Hide what looks like a secret, in place; of docstrings the first line stays.

    Args:
        tree: the code.
        within: the name of the function that it is taken from, if it is a part of one.
    """
    visitor = _Redacted()
    visitor.gives_secrets = _is_secret(within)
    result: ast.AST = visitor.visit(tree)
    return result


def is_doc(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Tell whether a statement is a string alone, which documents something."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _Redacted(ast.NodeTransformer):
    def __init__(self) -> None:
        self._hides = False  # whether a name says that all strings here are secret
        self.gives_secrets = False  # whether what is returned here has the name of a secret
        self._holds_secrets = False  # whether what is assigned here belongs to a class with such a name

    def visit(self, node: ast.AST) -> Any:
        """Begin anew with every statement."""
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        if is_doc(node):
            return ast.Expr(ast.Constant(_doc_line(str(ast.literal_eval(node.value)))))
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            return self._definition(node)
        gives = self.gives_secrets and any(isinstance(each, _GIVES) for each in _own_nodes(node))
        holds = self._holds_secrets and isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
        with self._hiding(_mentions_secret(node), gives or holds, anew=True):
            return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        if not isinstance(value, str):
            return node
        named = self._hides and len(value) >= _MIN_SECRET_CHARS
        return ast.Constant(HIDDEN) if named or _is_secret_text(value) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        with self._hiding(_SECRET_TEXT.search(_text_of(node))):
            return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Look at strings that are put together as at one."""
        with self._hiding(isinstance(node.op, ast.Add) and _SECRET_TEXT.search(_text_of(node))):
            return self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> Any:
        with self._hiding(_is_secret(node.arg or "")):
            return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> Any:
        for index, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
            with self._hiding(key is not None and _is_secret(ast.unparse(key))):
                node.values[index] = self.visit(value)
            node.keys[index] = None if key is None else self.visit(key)
        return node

    def visit_arguments(self, node: ast.arguments) -> Any:
        """Take each default under the name of its parameter."""
        places = [*node.posonlyargs, *node.args]
        defaults = zip(places[len(places) - len(node.defaults) :], node.defaults, strict=True)
        node.defaults = [self._named(each.arg, default) for each, default in defaults]
        named = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        node.kw_defaults = [default and self._named(each.arg, default) for each, default in named]
        for each in [*places, *node.kwonlyargs, node.vararg, node.kwarg]:
            if each is not None and each.annotation is not None:
                each.annotation = self._named(each.arg, each.annotation)
        return node

    def _definition(self, node: Any) -> Any:
        before = self.gives_secrets, self._holds_secrets
        is_secret, is_class = _is_secret(node.name), isinstance(node, ast.ClassDef)
        node.decorator_list = [self._named("", each) for each in node.decorator_list]
        if is_class:
            node.bases = [self._named("", each) for each in node.bases]
            node.keywords = [self._named("", each) for each in node.keywords]
        else:
            node.args = self._named("", node.args)
            node.returns = node.returns and self._named("", node.returns)
        self.gives_secrets, self._holds_secrets = is_secret and not is_class, is_secret and is_class
        node.body = [self.visit(each) for each in node.body]
        self.gives_secrets, self._holds_secrets = before
        return node

    def _named(self, name: str, node: Any) -> Any:
        """Visit what stands by itself under a name."""
        mentions = not isinstance(node, ast.arguments) and _mentions_secret(node)
        with self._hiding(_is_secret(name), mentions, anew=not isinstance(node, ast.arguments)):
            return self.visit(node)

    @contextmanager
    def _hiding(self, *reasons: object, anew: bool = False) -> Iterator[None]:
        before = self._hides
        self._hides = any(reasons) or (before and not anew)
        try:
            yield
        finally:
            self._hides = before


_GIVES = (ast.Return, ast.Yield, ast.YieldFrom)


def _mentions_secret(node: ast.AST) -> bool:
    """Whether a name that looks like a secret's stands in a statement (not in one inside it) or an expression.

    Names that things are given under on their own, as keyword arguments and items of dicts are, do not count.
    """
    return any(any(map(_is_secret, _given_names(each))) or _names_secret(each) for each in _own_nodes(node))


def _names_secret(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        return isinstance(value, str) and _is_mentioned(value)
    if isinstance(node, ast.keyword):
        return False
    texts = [value for _, value in ast.iter_fields(node) if isinstance(value, str)]
    texts += [each for _, value in ast.iter_fields(node) if isinstance(value, list) for each in value if _is_str(each)]
    return any(map(_is_mentioned, texts))


def _is_str(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _own_nodes(root: ast.AST) -> Iterator[ast.AST]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [each for each in _parts(node) if not isinstance(each, ast.stmt)]


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What a node holds, without what has a secret's name of its own."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None or not _is_secret(ast.unparse(key)):
                yield value
            if key is not None and not isinstance(key, ast.Constant):
                yield key
    elif not (isinstance(node, ast.keyword) and _is_secret(node.arg or "")):
        yield from ast.iter_child_nodes(node)


def _given_names(node: ast.AST) -> Iterator[str]:
    """What a node gives a value to, as text."""
    if isinstance(node, ast.Assign):
        yield from map(ast.unparse, node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        yield ast.unparse(node.target)


def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


def _is_mentioned(name: str) -> bool:
    return _is_secret(name) and not _NO_SECRET.fullmatch(name)


def _is_secret_text(text: str) -> bool:
    return len(text) > _MAX_STRING_CHARS or _SECRET_TEXT.search(text) is not None


def _doc_line(text: str) -> str:
    line = text.strip().partition("\n")[0][:_MAX_DOC_CHARS]
    return HIDDEN if _SECRET_TEXT.search(line) or _SECRET_PROSE.search(line) else line


def _text_of(node: ast.expr) -> str:
    """A string that is put together, with a null for each part that is no constant."""
    texts: list[str] = []
    waiting: list[ast.expr] = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.JoinedStr):
            waiting += reversed(each.values)
        elif isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add):
            waiting += [each.right, each.left]
        elif isinstance(each, ast.Constant) and isinstance(each.value, str | bytes):
            texts.append(each.value if isinstance(each.value, str) else each.value.decode("latin-1"))
        else:
            texts.append("\0")
    return "".join(texts)
