from array import array
from itertools import accumulate


def balances(amounts):
    return list(accumulate(array("q", amounts)))
