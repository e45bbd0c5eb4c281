import re


def tags(text):
    return re.findall("<([^>]+)>", text)
