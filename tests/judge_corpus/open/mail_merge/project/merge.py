"""Fills templates for letters: abbreviations first, then names of the customer."""

import re

_is_name = re.compile(r"[a-z_]+").fullmatch

ABBREVIATIONS = {"Mr.": "Mister", "St.": "Street", "Rd.": "Road", "No.": "Number", "Dr.": "Doctor"}


def render(template, fields):
    """Replace each {field} in turn, in the order of `fields`; a value may hold {fields} that come after it.

    Abbreviations are written out at the end.

    Raises:
        KeyError: a field has no plain name.
    """
    text = template
    for name in fields:
        if not _is_name(name):
            raise KeyError(name)
        mark = "{" + name + "}"
        out = ""
        while mark in text:
            at = text.index(mark)
            out = out + text[:at] + str(fields[name])
            text = text[at + len(mark) :]
        text = out + text
    for short in ABBREVIATIONS:
        text = text.replace(short, ABBREVIATIONS[short])
    return text


def letter(lines, number):
    body = [f"Dear {{title}} {{name}}, your order No. {line} goes to {{street}} ({{name}}, {{total}})." for line in range(lines)]
    fields = {
        "title": "Mr.",
        "address": "{street}",
        "name": f"Customer {number}",
        "street": "High St. 4",
        "total": 17.5 * number,
    }
    return "\n".join(body), fields


if __name__ == "__main__":
    for number, lines in enumerate((2700, 3300, 3000, 3600), start=1):
        text = render(*letter(lines, number))
        print(len(text), text[:60])
