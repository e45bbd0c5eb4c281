def missing(message, wanted):
    return [name for name in wanted if name not in message]
