from packages import build_order

recipes = {"app": ["zlib", "ssl"], "zlib": ["libc"], "ssl": ["bignum", "libc"], "bignum": [], "libc": []}
print(" ".join(build_order(recipes, ["app"])))
