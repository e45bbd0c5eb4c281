from profile_rows import Record, profile_columns

rows = [Record([("Paid", value)]) for value in (1, True, 0, False, True, 1.0, "1")]
print(profile_columns(rows, ["paid"]))
