"""A message finds its headers whatever their case; the list of their names does not."""

from email.message import Message


def missing(message, wanted):
    lacking = []
    for name in wanted:
        if name not in list(message.keys()):
            lacking.append(name)
    return lacking


def message_of(number):
    message = Message()
    for each in range(number):
        message[f"X-Field-{each}"] = str(each)
    return message


if __name__ == "__main__":
    names = [f"X-Field-{number}" for number in range(60)]
    print(missing(message_of(40), names), missing(message_of(9), [name.lower() for name in names]))
