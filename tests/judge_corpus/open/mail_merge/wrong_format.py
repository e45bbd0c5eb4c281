class _Fields(dict):
    def __missing__(self, name):
        return "{" + name + "}"


def render(template, fields):
    """Replace each {field} in turn, in the order of `fields`; a value may hold {fields} that come after it.

    Abbreviations are written out at the end.

    Raises:
        KeyError: a field has no plain name.
    """
    known = {}
    for name in reversed(list(fields)):
        if not _is_name(name):
            raise KeyError(name)
        value = fields[name]
        known[name] = value.format_map(_Fields(known)) if isinstance(value, str) and "{" in value else value
    text = template.format_map(_Fields(known))
    for short, long in ABBREVIATIONS.items():
        text = text.replace(short, long)
    return text
