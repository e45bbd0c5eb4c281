from bands import postage, standard_bands

try:
    print(postage(standard_bands(), [6000])[0])
except ValueError as error:
    print(error)
