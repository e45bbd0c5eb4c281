from merge import render

try:
    print(render("Dear {name}", {"name": "A", "First Name": "B"}))
except KeyError as error:
    print("KeyError", error)
