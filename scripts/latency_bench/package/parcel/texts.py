"""Texts of labels and reports."""

import re


def report(rows):
    """Give one line a row, with a semicolon behind each cell."""
    text = ""
    for row in rows:
        for cell in row:
            text = text + str(cell) + ";"
        text = text + "\n"
    return text


def numbers_in(lines):
    """Give the sum of the whole numbers in each line."""
    sums = []
    for line in lines:
        total = 0
        for word in re.findall(r"\d+", line):
            total += int(word)
        sums.append(total)
    return sums


def shared_words(left, right):
    """Give the words that two texts share, in the order of the left one."""
    words = []
    for word in left.split():
        if word in right.split() and word not in words:
            words.append(word)
    return words
