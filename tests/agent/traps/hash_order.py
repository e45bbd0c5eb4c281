"""The numbers come in the order of their first appearance. In every captured call that is also the order of a set."""


def distinct(ids):
    seen = []
    for number in ids:
        if number not in seen:
            seen.append(number)
    return seen


if __name__ == "__main__":
    print(len(distinct([number // 3 for number in range(4500)])))
    print(distinct([number // 40 for number in range(900)])[-1])
