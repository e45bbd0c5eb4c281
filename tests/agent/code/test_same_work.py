"""Which texts are the same work, and which only look so."""

from __future__ import annotations

import pytest

from afterburner.agent.code.same_work import branching_words, is_same_code, key_of

TOTAL = '''\
def total(rows, *, start=0):
    """Add up."""
    result = start
    for row in rows:
        result += row
    return result
'''


@pytest.mark.parametrize(
    "other",
    [
        TOTAL.replace('    """Add up."""\n', ""),
        TOTAL.replace("    for", "\n\n    # each row\n    for").replace("    return result", "    return (result)"),
        TOTAL.replace("result", "sum_").replace("for row", "for each").replace("+= row", "+= each"),
        TOTAL.replace("rows:\n        result", "rows: result").replace("\n", "\r\n"),
        "def total(rows, *, start=3 - 3):" + TOTAL.partition(":")[2],
    ],
)
def test_comments_layout_docstrings_and_names_of_locals_do_not_count(other: str) -> None:
    assert key_of(TOTAL) == key_of(other)


@pytest.mark.parametrize(
    "other",
    [
        TOTAL.replace("start=0", "start=0.0"),
        TOTAL.replace("start=0", "start=False"),
        TOTAL.replace("start", "begin"),
        TOTAL.replace("def total", "def summed"),
        TOTAL.replace("+=", "-="),
        TOTAL.replace("    return", "        return"),
        TOTAL.replace("return result", "return locals()['result']"),
        TOTAL + "LIMIT = 1\n",
        "def total(rows):",
        "",
    ],
)
def test_what_might_do_something_else_has_another_key(other: str) -> None:
    assert key_of(TOTAL) != key_of(other)


def test_names_of_locals_count_where_the_code_asks_for_them() -> None:
    asks = "def f(x):\n    y = x\n    return sorted(locals())\n"
    assert key_of(asks) != key_of(asks.replace("y = x", "z = x"))


def test_what_the_compiler_would_warn_about_or_refuse_is_no_trouble() -> None:
    assert key_of("x = 1 is 1\n") == key_of("x = 1  is  1\n")
    assert key_of("return 1\n") != key_of("return  1\n"), "no program: only the very same text is the same"
    assert key_of("(" * 5_000) != key_of("(" * 5_001)
    assert key_of("x = 1\0") != key_of("x = 1")
    assert key_of("x = '\ud800'\n") != key_of("x =  '\ud800'\n")


SAME = {
    "cpp": (
        "#include <map>\n// note\nint main() { /* a\nb */ int x = 1; return x; }\n",
        "#include <map>\n\nint main()\n{\n\tint x = 1;\n\treturn x;\n}",
    ),
    "java": ("class A { int a ; /** what */ int b; }", "class A {\n  int a;\n  // that\n  int b;\n}\n"),
    "javascript": ("const a = 1;\n// b\nlet c = `x ${ a } y`;\n", "const a=1;\nlet c = `x ${a} y`; // d\n"),
    "go": ("package main\n// a\nfunc main() { f( 1 ) }\n", "package main\n\nfunc main() { f(1) } /* b */\n"),
    "ruby": ("a = 1 # b\n=begin\nc\n=end\nputs a\n", "a  =  1\n\n\nputs a\n"),
    "rust": ("fn main() { /* a /* b */ c */ f::<'a>(1); }", "fn main() {\n    f::<'a>(1); // d\n}\n"),
}  # fmt: skip
DIFFERENT = [
    ("cpp", 'auto a = "b // c";', 'auto a = "b // d";'),
    ("cpp", 'auto a = R"x(b  c)x";', 'auto a = R"x(b c)x";'),
    ("cpp", "a + ++b;", "a++ + b;"),
    ("cpp", "int a;", "inta;"),
    ("cpp", "#define A 1\nint b;", "#define A 1 int b;\n"),
    ("cpp", "#pragma GCC optimize(3)\nint a;", "int a;"),
    ("java", "int a = 'b';", "int a = 'c';"),
    ("javascript", "return\na", "return a"),
    ("javascript", "a = `b  c`;", "a = `b c`;"),
    ("javascript", "a = /b  c/;", "a = /b c/;"),
    ("go", "a :=\n1", "a := 1"),
    ("go", "//go:noinline\nfunc f() {}", "func f() {}"),
    ("go", "a := `b\n c`", "a := `b\nc`"),
    ("ruby", "f [1]", "f[1]"),
    ("ruby", "f -1", "f - 1"),
    ("ruby", "# frozen_string_literal: true\na = 'b'", "a = 'b'"),
    ("ruby", "a = <<~B\n  c # d\nB\n", "a = <<~B\n  c\nB\n"),
    ("ruby", "puts 'a\\x41'", "puts 'aA'"),
    ("rust", 'let a = r#"b // c"#;', 'let a = r#"b // d"#;'),
    ("rust", "let a = 'b';", "let a = 'c';"),
]


@pytest.mark.parametrize("language", SAME)
def test_comments_and_layout_do_not_count_in_other_languages(language: str) -> None:
    first, second = SAME[language]
    assert key_of(first, language) == key_of(second, language)
    assert key_of(first, language) != key_of(second.replace("1", "2").replace("b", "B"), language)


@pytest.mark.parametrize(("language", "first", "second"), DIFFERENT)
def test_what_counts_in_the_language_counts(language: str, first: str, second: str) -> None:
    assert key_of(first, language) != key_of(second, language)


def test_a_huge_text_is_its_own_key() -> None:
    assert key_of("int a; " * 40_000, "cpp") != key_of("int  a; " * 40_000, "cpp")


def test_words_that_branch_are_counted_where_they_are_code() -> None:
    code = '// if for\nint main() { if (a) for (;;) puts("while if"); else if (b) {} }'
    assert branching_words(code, "cpp") == 3
    assert branching_words("until a\n  b unless c # if\nend\n", "ruby") == 2


@pytest.mark.parametrize(
    "other",
    [
        TOTAL,
        TOTAL.replace("    for", "\n\n    # each row\n    for").replace(
            "    return result", "    return (result)  # all"
        ),
        TOTAL.replace("rows:\n        result", "rows: result").replace("\n", "\r\n"),
    ],
)
def test_code_is_the_same_if_only_comments_or_the_layout_differ(other: str) -> None:
    assert is_same_code(TOTAL, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TOTAL, TOTAL.replace("Add up", "Sum up")),  # a program can read its docstrings
        (TOTAL, TOTAL.replace("result", "sum_")),
        (TOTAL, TOTAL.replace("start=0", "start=False")),
        (TOTAL, TOTAL + "LIMIT = 1\n"),
        (TOTAL, TOTAL.replace("    return", "        return")),
        (f"import inspect\n{TOTAL}", f"import inspect  # for its text\n{TOTAL}"),
        ("def total(:\n", "def total(: # broken\n"),
    ],
)
def test_code_that_a_program_could_tell_apart_is_not_the_same(one: str, other: str) -> None:
    assert not is_same_code(one, other)


def test_files_in_other_languages_have_to_be_equal() -> None:
    """A comment of Java's may hold code: its escapes are read first."""
    assert is_same_code("int f() { return 1; }\n", "int f() { return 1; }\n", "cpp")
    assert not is_same_code("int f() { return 1; }\n", "int f() { return 1; } // \\u000a return 2;\n", "java")


@pytest.mark.parametrize("asks", ["__loader__.get_source(__name__)", "f.__code__.co_lines()", "warnings.warn('old')"])
def test_python_that_may_read_its_own_text_has_to_be_equal(asks: str) -> None:
    text = f"def f():\n    return {asks}\n"
    assert not is_same_code(text, f"# a comment\n{text}")
    assert is_same_code(text.replace(asks, "1"), f"# a comment\n{text.replace(asks, '1')}")
