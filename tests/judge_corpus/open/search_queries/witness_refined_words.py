from queries import parse_queries

first, second = parse_queries(["a drill w/ cable", "a drill w/ cable"])
first["words"].append("battery")
print(first["words"], second["words"], parse_queries(["a drill w/ cable"])[0]["words"])
