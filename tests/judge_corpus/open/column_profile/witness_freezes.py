from profile_rows import Record, profile_columns

rows = [Record([("Span", value)]) for value in ([(1, 2)], [[1, 2]], {"of": (1, 2)}, {"of": [1, 2]}, [(1, 2)])]
print(profile_columns(rows, ["span"]))
