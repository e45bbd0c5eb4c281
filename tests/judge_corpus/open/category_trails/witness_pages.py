from catalogue import Catalogue

catalogue = Catalogue()
catalogue.add(1, "tools")
catalogue.add(2, "saws", 1)
catalogue.add(3, "planes", 1)
trails = catalogue.trails()
for number, trail in trails.items():
    trail.append(catalogue.label(number))
    print(" > ".join(trail))
