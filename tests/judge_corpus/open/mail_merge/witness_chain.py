from merge import render

print(render("to {address}", {"address": "{street}", "street": "Hill Rd."}))
