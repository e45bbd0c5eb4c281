from keywords import keyword_index

articles = {7: "A flat in New York, by e-mail", 8: "York has a wall; mail it.", 9: "new york times"}
print(keyword_index(articles, ["New York", "York", "e-mail", "mail"]))
