from packages import build_order

try:
    print(build_order({"app": ["zlib", "libc"], "libc": []}, ["app"]))
except KeyError as missing:
    print("no recipe for", missing)
