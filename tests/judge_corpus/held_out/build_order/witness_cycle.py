from packages import DependencyCycle, build_order

recipes = {
    "shell": ["libc", "readline"],
    "readline": ["curses"],
    "curses": ["libc", "term"],
    "term": ["readline"],
    "libc": [],
}
try:
    print(build_order(recipes, ["shell"]))
except DependencyCycle as cycle:
    print("cycle:", cycle, cycle.chain)
