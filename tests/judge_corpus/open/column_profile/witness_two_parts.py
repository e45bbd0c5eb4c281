from profile_rows import Record, profile_columns

rows = [Record([("Tags", value)]) for value in (["new"], None, ["new", "gift"], "sale", ["new"])]
print(profile_columns(rows, ["tags"]))
