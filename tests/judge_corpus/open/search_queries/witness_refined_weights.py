from queries import parse_queries

first, second = parse_queries(["a drill", "a saw"])
first["weights"]["brand"] = 9.0
print(first["weights"], second["weights"])
