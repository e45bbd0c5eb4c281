from queries import parse_queries

print(parse_queries(["nut &amp; bolt", "nuts &amp; bolts"], stop_words=[]))
