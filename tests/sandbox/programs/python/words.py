"""Reads text and counts its words, with regular expressions, collections, decimals and non-ASCII output."""

import re
import statistics
import sys
from collections import Counter
from decimal import Decimal, getcontext
from fractions import Fraction

text = sys.stdin.read()
counts = Counter(re.findall(r"\w+", text.lower()))
for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]:
    print(f"{word}: {count}")
print("longest:", max(counts, key=lambda word: (len(word), word)))
print("median length:", statistics.median(len(word) for word in counts))
getcontext().prec = 30
print("√2 =", Decimal(2).sqrt(), "½ + ⅓ =", Fraction(1, 2) + Fraction(1, 3))
print("日本語 ✓ naïve 🎉")
