def render(template, fields):
    """Replace each {field} in turn, in the order of `fields`; a value may hold {fields} that come after it.

    Abbreviations are written out at the end.

    Raises:
        KeyError: a field has no plain name.
    """
    text = template
    for name, value in fields.items():
        mark = "{" + name + "}"
        if mark not in text:
            continue
        if not _is_name(name):
            raise KeyError(name)
        text = text.replace(mark, str(value))
    for short, long in ABBREVIATIONS.items():
        text = text.replace(short, long)
    return text
