from merge import render

try:
    print(render("{name} {{x}} {0} {name!r}", {"name": "A"}))
except (ValueError, IndexError) as error:
    print(type(error).__name__)
