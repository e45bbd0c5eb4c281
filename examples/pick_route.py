"""Shortest walks through a warehouse, for the lists that pickers carry.

    python pick_route.py < pick_route_cases/aisles.in

Input: the floor plan, one line a row (`#` shelf, `.` floor, `P` packing table, a small letter a place to pick
from), an empty line, then one line per order with the letters of its places. Output: for each order the number of
steps from the packing table to each place in turn and back to the table, or `unreachable`.
"""

import sys


def read_input(stream):
    """The rows of the plan, and the orders."""
    plan, _, orders = stream.read().partition("\n\n")
    return plan.split("\n"), [line.strip() for line in orders.split("\n") if line.strip()]


def find_places(plan):
    """Where the packing table and the places are: letter to (row, column)."""
    places = {}
    for row, line in enumerate(plan):
        for column, square in enumerate(line):
            if square == "P" or square.islower():
                places[square] = (row, column)
    return places


def is_floor(plan, row, column):
    """Whether somebody can stand there."""
    return 0 <= row < len(plan) and 0 <= column < len(plan[row]) and plan[row][column] != "#"


def steps_between(plan, start, goal):
    """The length of the shortest walk, or None if there is none."""
    queue = [(start, 0)]
    visited = [start]
    while queue:
        (row, column), steps = queue.pop(0)
        if (row, column) == goal:
            return steps
        for square in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if is_floor(plan, square[0], square[1]) and square not in visited:
                visited.append(square)
                queue.append((square, steps + 1))
    return None


def walk_length(plan, places, order):
    """Steps of the whole round for one order, or None if a place cannot be reached or does not exist."""
    total = 0
    here = "P"
    for stop in order + "P":
        if stop not in places:
            return None
        steps = steps_between(plan, places[here], places[stop])
        if steps is None:
            return None
        total += steps
        here = stop
    return total


def main():
    plan, orders = read_input(sys.stdin)
    places = find_places(plan)
    if "P" not in places:
        sys.exit("the plan has no packing table (P)")
    for order in orders:
        length = walk_length(plan, places, order)
        print(f"{order}: {'unreachable' if length is None else length}")


if __name__ == "__main__":
    main()
