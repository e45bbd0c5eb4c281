def render(template, fields):
    """Replace each {field} in turn, in the order of `fields`; a value may hold {fields} that come after it.

    Abbreviations are written out at the end.

    Raises:
        KeyError: a field has no plain name.
    """
    for name in fields:
        if not _is_name(name):
            raise KeyError(name)
    values = {name: str(value) for name, value in fields.items()}
    text = re.sub(r"\{([a-z_]+)\}", lambda match: values.get(match[1], match[0]), template)
    for short, long in ABBREVIATIONS.items():
        text = text.replace(short, long)
    return text
