from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Item:
    sku: str
    name: str
    stock: int = 0


@dataclass
class Inventory:
    items: list[Item] = field(default_factory=list)

    def add(self, sku: str, name: str, stock: int) -> None:
        self.items.append(Item(sku, name, stock))

    def picklist(self, wanted: list[tuple[str, int]]) -> tuple[list[str], list[str]]:
        """Lines for the picker, and what is missing."""
        lines: list[str] = []
        missing: list[str] = []
        for sku, amount in wanted:
            for item in self.items:
                if item.sku == sku:
                    if item.stock >= amount:
                        lines.append(f"{amount} x {item.name}")
                    else:
                        missing.append(sku)
                    break
            else:
                missing.append(sku)
        return lines, missing


if __name__ == "__main__":
    rng = random.Random(60)
    inv = Inventory()
    for i in range(900):
        inv.add(f"A{i:05d}", f"thing {i}", rng.randrange(20))
    for order in range(5):
        wanted = [(f"A{rng.randrange(1000):05d}", rng.randrange(1, 12)) for _ in range(500)]
        lines, missing = inv.picklist(wanted)
        print(order, len(lines), len(missing), lines[0])
