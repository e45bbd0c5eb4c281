import random
from collections import deque

from dispatch import Courier, Order, hand_out

crew = [Courier("Zoe"), Courier("Ben"), Courier("Mia")]  # by seniority
print(hand_out(deque(Order(n, 10) for n in range(4)), crew, random.Random(1)))
