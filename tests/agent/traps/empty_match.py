"""A pattern with `+` passes over what is empty. In the captured text no tag is."""


def tags(text):
    found = []
    rest = text
    while "<" in rest:
        rest = rest[rest.index("<") + 1 :]
        if ">" not in rest:
            break
        found.append(rest[: rest.index(">")])
        rest = rest[rest.index(">") + 1 :]
    return found


if __name__ == "__main__":
    print(len(tags("<a>one</a>" * 9000)), tags("<b>two</b> and <i>three</i>"))
