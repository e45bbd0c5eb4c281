# attack: prints as much as it may and no byte more, which is allowed
# must: accepted
# prints: DENIED
# limits: output_bytes=7
print("DENIED")
