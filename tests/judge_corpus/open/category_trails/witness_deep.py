from catalogue import Catalogue

catalogue = Catalogue()
for number in range(1100):
    catalogue.add(1099 - number, "part", None if number == 1099 else 1098 - number)
print(len(catalogue.trails()[1099]))
