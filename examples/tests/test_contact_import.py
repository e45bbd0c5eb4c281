import pytest
from contact_import import clean_address, clean_name, new_contacts, protocol

BOOK = [{"name": "Anna Smith", "email": "anna@example.org"}, {"name": "Ben Okafor", "email": "ben@example.org"}]


@pytest.mark.parametrize(
    ("typed", "address"),
    [(" Anna@Example.ORG ", "anna@example.org"), ("mailto:b@c.de", "b@c.de"), ("n/a", ""), ("x@localhost", "")],
)
def test_clean_address(typed, address):
    assert clean_address(typed) == address


@pytest.mark.parametrize(
    ("typed", "name"), [("SMITH,  anna ", "Anna Smith"), ("hana de sato", "Hana De Sato"), ("", "")]
)
def test_clean_name(typed, name):
    assert clean_name(typed) == name


def test_only_new_people_are_taken_once_in_their_order():
    rows = [
        {"Name": "sato, hana", "E-mail": "Hana@example.org"},
        {"Name": "Anna", "E-mail": " ANNA@example.org"},
        {"Name": "Hana again", "E-mail": "mailto:hana@example.org"},
        {"Name": "nobody"},
        {"E-mail": "zoe@example.org"},
    ]
    fresh, left_out = new_contacts(BOOK, rows)
    assert fresh == [{"name": "Hana Sato", "email": "hana@example.org"}, {"name": "", "email": "zoe@example.org"}]
    assert left_out == [(3, "already in the book"), (4, "repeated"), (5, "no address")]


def test_the_book_is_left_alone():
    before = [dict(contact) for contact in BOOK]
    new_contacts(BOOK, [{"Name": "x", "E-mail": "x@example.org"}])
    assert BOOK == before


def test_an_empty_book_takes_everybody():
    rows = [{"Name": "x", "E-mail": "x@example.org"}, {"Name": "y", "E-mail": "y@example.org"}]
    assert [contact["name"] for contact in new_contacts([], rows)[0]] == ["X", "Y"]


def test_protocol_names_the_first_rows():
    text = protocol([{}], [(number, "repeated") for number in range(2, 10)])
    assert text == "1 contacts added.\n8 left out, repeated: rows 2, 3, 4, 5, 6 and 3 more."
