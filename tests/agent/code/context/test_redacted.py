"""No string constant that looks like a secret is in the code that a model is shown, however it is written down."""

from __future__ import annotations

import ast

import pytest

from afterburner.agent.code.context.shown import first_line, outline, shown


def told(code: str) -> str:
    return shown(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "PASSWORD = 'hunter2'",
        "password: str = 'hunter2'",
        "user, password = 'bob', 'hunter2'",
        "(user, (host, password)) = ('bob', ('h', 'hunter2'))",
        "self.password = 'hunter2'",
        "self.db.settings['password'] = 'hunter2'",
        "PASSWORD += 'hunter2'",
        "if (PASSWORD := 'hunter2'):\n    pass",
        "def connect(host, user='bob', password='hunter2', *, port=1, api_key='hunter2'):\n    pass",
        "def connect(password='hunter2', /, port=1):\n    pass",
        "async def connect(*, token='hunter2'):\n    pass",
        "def connect(user='bob', db=Database('x', password='hunter2')):\n    pass",
        "connect = lambda user, password='hunter2': login(user)",
        "ok = password == 'hunter2'",
        "if 'hunter2' == user.password:\n    pass",
        "while password in ('other', 'hunter2'):\n    pass",
        "assert get_password() != b'hunter2'",
        "for each in (password, 'hunter2'):\n    pass",
        "os.environ.setdefault('API_KEY', 'hunter2')",
        "TOKENS = os.getenv('TOKEN', 'hunter2')",
        "value = os.getenv('TOKEN', 'hunter2')",
        "value = os.environ.get('TOKEN') or 'hunter2'",
        "value = get(name='TOKEN', default='hunter2')",
        "parser.add_argument('--password', default='hunter2')",
        "setattr(settings, 'password', 'hunter2')",
        "pairs = [('user', 'bob'), ('password', 'hunter2')]",
        "row = {'name': 'password', 'value': 'hunter2'}",
        "row = {'password': 'hunter2'}",
        "row = {b'password': b'hunter2'}",
        "PASSWORDS = {'bob': 'hunter2'}",
        "PASSWORDS = {'hunter2': 'bob'}",
        "rows = {'password': value for value in ['hunter2']}",
        "connect('bob', password='hunter2')",
        "connect('bob', password=first or 'hunter2')",
        "login(user.password, 'hunter2')",
        "check_password('hunter2')",
        "print(f'{user}:hunter2', password)",
        "password = f'hunter2{year}'",
        "url = f'postgres://{user}:hunter2@host/db'",
        "url = f'https://bob:{part}hunter2@host'",
        "url = 'postgres://bob' + ':hunter2' + '@host'",
        "url = 'postgres://bob' ':hunter2' '@host'",
        "password = 'hun' 'ter2 hunter2'",
        "PASSWORD = b'hunter2'",
        "match password:\n    case 'hunter2':\n        pass",
        "match user:\n    case {'password': 'hunter2'}:\n        pass",
        "match user:\n    case User(password='hunter2'):\n        pass",
        "match user:\n    case 'hunter2' as password:\n        pass",
        "match user:\n    case [name, word] if word == password or word == 'hunter2':\n        pass",
        "@dataclass\nclass Settings:\n    user: str = 'bob'\n    password: str = field(default='hunter2')",
        "class Settings:\n    api_key = 'hunter2'",
        "class Password(Enum):\n    BOB = 'hunter2'",
        "class Settings(Base, token='hunter2'):\n    pass",
        "class Settings(base('password', 'hunter2')):\n    pass",
        "@property\ndef api_key(self):\n    return 'hunter2'",
        "def passwords():\n    if True:\n        yield 'hunter2'",
        "@pytest.mark.parametrize(('user', 'password'), [('bob', 'hunter2')])\ndef test(user, password):\n    pass",
        "@login('password', 'hunter2')\nclass A:\n    pass",
        "with session('hunter2') as s:\n    pass",
        "with open('x') as password, use('hunter2'):\n    pass",
        "try:\n    pass\nexcept wrong(password, 'hunter2'):\n    pass",
        "return_value = [p for p in 'hunter2'.split() if p == password]",
        "db_pass = 'hunter2'",
        "dbPass = 'hunter2'",
        "PIN, OTP = 'hunter2', 'hunter2'",
        "DATABASE_URL = 'hunter2'",
        "def f():\n    'The password is hunter2.'",
        "def f():\n    '''`token`: hunter2'''",
        "for key in ['a']:\n    key = 'hunter2'",
        "def f(key='hunter2'):\n    pass",
        "type(user)('bob').password = 'hunter2'",
        "del cache[password, 'hunter2']",
        "global_value = await_password(await fetch('hunter2'))",
        "print(('hunter2' if x else 'x') + token)",
        "x = secrets['hunter2':]",
        "def f(x: Annotated[str, token('hunter2')]) -> Secret['hunter2']:\n    pass",
    ],
)
def test_a_value_beside_a_secret_name_is_hidden(code: str) -> None:
    text = told(code)
    assert "…" in text
    assert "hunter2" not in text
    ast.parse(text)


@pytest.mark.parametrize(
    "code",
    [
        "value = 'AKIA0123456789ABCDEF'",
        "value = 3 + 'AKIA01234567' + '89ABCDEF'",
        "value = {'AKIA0123456789ABCDEF': 1}",
        "value = b'-----BEGIN PRIVATE'",
        "value = 'postgres://bob:x@h'",
        f"value = {'long ' * 20!r}",
    ],
)
def test_what_looks_like_a_secret_by_itself_is_hidden(code: str) -> None:
    constants = [node.value for node in ast.walk(ast.parse(told(code))) if isinstance(node, ast.Constant)]
    assert "…" in constants
    assert all(each in {"…", 1, 3} for each in constants)


def test_other_strings_stay() -> None:
    code = """\
def load(path='rows.csv', sep=',', *, author='bob'):
    \"\"\"Read the rows.\"\"\"
    for key, value in rows.items():
        if key == 'price' and value != '':
            out[value] = rows['kind']
        elif token == '(':
            raise KeyError('no price')
    connect('bob', password=pw, mode='fast')
    row = {'password': pw, 'name': 'bob'}
    return tokenize('a b', 'strict') + f'{path}: {sep:>3}'"""
    assert told(code) == code


def test_pieces_of_code_are_treated_like_the_whole() -> None:
    connect = ast.parse("class A:\n    key = 'hunter2'\n    def connect(self, password='hunter2'):\n        pass").body[
        0
    ]
    assert "hunter2" not in outline(connect)
    assert "password='…'" in outline(connect)
    giving = ast.parse("return connect('hunter2')").body[0]
    assert "hunter2" not in first_line(giving, "Settings.password")
    assert first_line(giving, "Settings.name") == "return connect('hunter2')"
