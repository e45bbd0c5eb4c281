# attack: has names and characters from far planes of Unicode in its source
# must: accepted
# prints: \xc3\xa9\xe2\x82\xac\xf0\x9d\x92\xb3 4
ñame_ſ, 𝒳 = "é€𝒳", 4
if ñame_ſ:
    print(ñame_ſ, 𝒳)
