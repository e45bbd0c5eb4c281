import random
from collections import deque

from dispatch import Courier, Order, hand_out

chance = random.Random(5)
crew = [Courier("Ben"), Courier("Mia")]
hand_out(deque([Order(1, 4, True), Order(2, 60, True), Order(3, 3, True), Order(4, 45, True)]), crew, chance)
print([courier.minutes for courier in crew], chance.randrange(1_000))
