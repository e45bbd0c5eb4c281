"""Sums of orders by customer, in a file that imports pandas, which takes longer than the work."""

import pandas as pd


def f(names: list[str], amounts: list[int]) -> dict[str, int]:
    """The sum of each customer's amounts, in the order of their first orders."""
    sums: dict[str, int] = {}
    for name in dict.fromkeys(names):
        sums[name] = sum(amount for other, amount in zip(names, amounts, strict=True) if other == name)
    return sums


if __name__ == "__main__":
    orders = pd.DataFrame({"name": [f"customer {at * 37 % 90}" for at in range(900)], "amount": range(900)})
    print(len(f(orders["name"].tolist(), orders["amount"].tolist())))
    print(f(["a", "b", "a"], [1, 2, 3]))
