"""Runs one program of this package, named by the only argument, in a fresh interpreter inside the sandbox.

A script, so that Python itself puts this folder on `sys.path`: the folder that holds the package takes its place before
anything else is imported, so that no module of ours can stand in for one of Python's.
"""

import sys

PACKAGE = "_afterburner_inside.sandbox.driver"

if __name__ == "__main__":
    sys.path[0] = sys.path[0].removesuffix("/" + PACKAGE.replace(".", "/"))
    name = sys.argv.pop()

    from importlib import import_module

    import_module(PACKAGE + "." + name).main()
