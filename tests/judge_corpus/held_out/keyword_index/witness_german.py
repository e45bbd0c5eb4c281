from keywords import keyword_index

articles = {1: "Die Straße nach Bern", 2: "STRASSE GESPERRT", 3: "Neue Strasse"}
print(keyword_index(articles, ["strasse", "Straße"]))
