from bands import postage, standard_bands

print(postage(standard_bands(), [20, 500])[0])
