from bands import postage, standard_bands

prices, counts = postage(standard_bands(), [10, 30])
print([(band.limit, number) for band, number in counts.items()])
