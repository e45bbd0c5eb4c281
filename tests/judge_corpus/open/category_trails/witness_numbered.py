from catalogue import NumberedCatalogue

catalogue = NumberedCatalogue()
catalogue.add(7, "tools")
catalogue.add(8, "saws", 7)
catalogue.add(9, "blades", 8)
print(catalogue.trails())
