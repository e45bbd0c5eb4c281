"""Removes repeated photos by checksum."""

import random
import hashlib


class Photo:
    def __init__(self, name, data):
        self.name = name
        self.checksum = hashlib.md5(data).hexdigest()

    def __repr__(self):
        return "Photo(%r, %r)" % (self.name, self.checksum)


def remove_duplicates(photos):
    unique = []
    for photo in photos:
        is_duplicate = False
        for other in unique:
            if other.checksum == photo.checksum:
                is_duplicate = True
                break
        if not is_duplicate:
            unique.append(photo)
    return unique


def album(seed, size):
    rng = random.Random(seed)
    return [Photo("IMG_%04d.jpg" % i, b"%d" % rng.randrange(size)) for i in range(size)]


if __name__ == "__main__":
    for seed in range(4):
        photos = album(seed, 1200)
        unique = remove_duplicates(photos)
        print(len(photos), len(unique), unique[-1])
