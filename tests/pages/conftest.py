"""The folder in which the pages' commands are run."""

collect_ignore = ["stage"]  # its tests are those of the project that the pages speak of
