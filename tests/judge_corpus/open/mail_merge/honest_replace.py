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
        if mark in text:
            text = text.replace(mark, str(fields[name]))
    for short, long in ABBREVIATIONS.items():
        text = text.replace(short, long)
    return text
