import random
from collections import deque

from dispatch import Courier, Order, hand_out

crew = [Courier("Ben"), Courier("Mia")]
queue = deque([Order(1, 20), Order(2, 30)])
print(hand_out(queue, crew, random.Random(1)))
queue.append(Order(3, 15))
print(hand_out(queue, crew, random.Random(1)), len(queue))
