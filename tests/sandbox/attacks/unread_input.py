# attack: leaves 8 MiB of its input unread, so that whoever writes it waits for ever
# must: accepted
# prints: DENIED
# stdin: 8388608
print("DENIED")
