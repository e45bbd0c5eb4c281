"""Takes contacts from a spreadsheet into the address book, without taking anybody twice.

The spreadsheet comes from people: addresses differ in case and blanks, rows repeat, some have no address at all.
"""

import random


def clean_address(text):
    """An e-mail address as we compare it; an empty string if it is none."""
    address = text.strip().lower()
    if address.startswith("mailto:"):
        address = address[len("mailto:") :]
    local, at, domain = address.partition("@")
    return address if local and at and "." in domain else ""


def clean_name(text):
    """`SMITH,  anna ` becomes `Anna Smith`."""
    family, comma, given = text.partition(",")
    words = (given.split() + family.split()) if comma else text.split()
    return " ".join(word.capitalize() for word in words)


def new_contacts(book, rows):
    """The contacts of `rows` that are neither in the book nor earlier in `rows`, in their order.

    `book` is a list of contacts (dicts with `name` and `email`, cleaned); `rows` are dicts as they were typed.
    Returns the new contacts and, for the protocol, the numbers of the rows that were left out with the reason.
    """
    taken = []
    fresh = []
    left_out = []
    for number, row in enumerate(rows, start=2):  # line 1 of the sheet is its head
        address = clean_address(row.get("E-mail", ""))
        if not address:
            left_out.append((number, "no address"))
        elif address in [contact["email"] for contact in book]:
            left_out.append((number, "already in the book"))
        elif address in taken:
            left_out.append((number, "repeated"))
        else:
            taken.append(address)
            fresh.append({"name": clean_name(row.get("Name", "")), "email": address})
    return fresh, left_out


def protocol(fresh, left_out):
    """One paragraph for the person who sent the spreadsheet."""
    reasons = {}
    for number, reason in left_out:
        reasons.setdefault(reason, []).append(number)
    lines = [f"{len(fresh)} contacts added."]
    for reason, numbers in sorted(reasons.items()):
        shown = ", ".join(str(number) for number in numbers[:5])
        more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
        lines.append(f"{len(numbers)} left out, {reason}: rows {shown}{more}.")
    return "\n".join(lines)


GIVEN = ["Anna", "Ben", "Chiara", "Deniz", "Emil", "Fatou", "Goran", "Hana", "Ines", "Jonas", "Kofi", "Lena"]
FAMILY = ["Smith", "Okafor", "Rossi", "Yilmaz", "Novak", "Diallo", "Kovac", "Sato", "Costa", "Berg", "Mensah"]


def person(rng):
    """Somebody who does not exist."""
    given, family = rng.choice(GIVEN), rng.choice(FAMILY)
    return {"name": f"{given} {family}", "email": f"{given}.{family}{rng.randrange(9000)}@example.org".lower()}


def as_typed(rng, contact):
    """The contact as a person would have typed it."""
    given, family = contact["name"].split()
    name = rng.choice([contact["name"], f"{family.upper()}, {given}", contact["name"].lower()])
    email = rng.choice(
        [contact["email"], contact["email"].upper(), f" {contact['email']} ", f"mailto:{contact['email']}"]
    )
    return {"Name": name, "E-mail": email if rng.random() > 0.02 else "n/a"}


if __name__ == "__main__":
    rng = random.Random(7)
    book = [person(rng) for _ in range(3000)]
    for sheet, size in [("fair", 800), ("newsletter", 1600), ("support", 1100), ("webinar", 600)]:
        people = [rng.choice(book) if rng.random() < 0.3 else person(rng) for _ in range(size)]
        rows = [as_typed(rng, contact) for contact in people]
        fresh, left_out = new_contacts(book, rows)
        print(f"{sheet}:", protocol(fresh, left_out))
        book.extend(fresh)
