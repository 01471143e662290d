"""Account data with valid check digits where the kind has them, and look-alikes that are no personal data."""

import random
import string

from .places import draw

IBAN_SHAPES = {
    "DE": "##################", "FR": "#######################", "GB": "@@@@##############", "ES": "####################", "IT": "@######################",
    "NL": "@@@@##########", "PL": "########################", "PT": "#####################", "CH": "#################", "SE": "####################",
    "BE": "############", "AT": "################", "AE": "###################", "TR": "######################", "NO": "###########",
}
CARD_STARTS = (("4", 16), ("51", 16), ("54", 16), ("37", 15), ("6011", 16), ("2221", 16))
ID_PATTERNS = {
    "passport": ("@########", "@@#######", "#########", "@#######", "@@######"),
    "national_id": ("########@", "###########", "##.###.###-#", "@@@######@@@####@##", "####-####-####", "#### #### ####", "######-####"),
    "mrn": ("MRN#######", "########", "H-######", "##-##-##", "PT-#####"),
    "employee": ("E#####", "EMP-#####", "@@####", "######", "stf_####"),
    "tax": ("DE#########", "##-#######", "@@@@@####@", "###/####/####", "ES@########", "###.###.###-##", "IT###########"),
    "policy": ("POL-########", "@@ ### ### ##", "########-##", "HX#######"),
    "account": ("########", "##########", "####-######-##", "############"),
    "license": ("@#######", "@###-####-####", "########", "@@@@@######@@#@@", "@## ### ###", "###-##-####-@"),
}
PASSWORD_WORDS = ("sunset", "Tiger", "winter", "Dragon", "coffee", "blue", "Monkey", "hunter", "Pizza", "river", "Secret", "qwerty", "letmein", "Falcon", "banana")


def luhn_digit(number: str) -> str:
    """The digit that makes `number` plus digit pass the Luhn check."""
    digits = [int(digit) * (2 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(number))]
    return str(-sum(digit - 9 if digit > 9 else digit for digit in digits) % 10)


def card(chance: random.Random, valid: bool = True) -> str:
    """A card number that passes the Luhn check, or one that fails it, plain or in groups."""
    start, length = chance.choice(CARD_STARTS)
    body = start + "".join(chance.choice(string.digits) for _ in range(length - len(start) - 1))
    last = luhn_digit(body)
    number = body + (last if valid else str((int(last) + chance.randint(1, 9)) % 10))
    joint = chance.choice(("", "", " ", "-"))
    groups = (number[:4], number[4:10], number[10:]) if length == 15 else tuple(number[at : at + 4] for at in range(0, 16, 4))
    return joint.join(groups)


def iban(chance: random.Random) -> str:
    """An IBAN of the country's length whose check digits fit (mod 97)."""
    country = chance.choice(list(IBAN_SHAPES))
    body = "".join(draw(sign, chance) for sign in IBAN_SHAPES[country])
    check = 98 - int("".join(str(int(sign, 36)) for sign in body + country + "00")) % 97
    plain = f"{country}{check:02d}{body}"
    return " ".join(plain[at : at + 4] for at in range(0, len(plain), 4)) if chance.random() < 0.5 else plain


def social_security_number(chance: random.Random) -> str:
    area = chance.choice([*range(1, 666), *range(667, 900)])
    return chance.choice(("-", "-", "-", " ")).join((f"{area:03d}", f"{chance.randint(1, 99):02d}", f"{chance.randint(1, 9999):04d}"))


def internet_address(chance: random.Random) -> str:
    shape = chance.random()
    if shape < 0.15:
        groups = [f"{chance.randint(0, 65535):x}" for _ in range(chance.randint(3, 5))]
        return "2001:db8:" + ":".join(groups[:2]) + "::" + groups[2]
    start = chance.choice(("10", "192.168", "172.16", "203.0.113", "198.51.100", str(chance.randint(11, 223))))
    missing = 4 - len(start.split("."))
    return ".".join([start, *(str(chance.randint(0, 254)) for _ in range(missing))])


def identifier(kind: str, chance: random.Random) -> str:
    return draw(chance.choice(ID_PATTERNS[kind]), chance)


def password(chance: random.Random) -> str:
    if chance.random() < 0.3:
        return "".join(chance.choice(string.ascii_letters + string.digits + "!#%&*+?@_-") for _ in range(chance.randint(8, 16)))
    words = chance.sample(PASSWORD_WORDS, chance.choice((1, 1, 2)))
    return chance.choice(("", "-", "_")).join(words) + str(chance.randint(0, 9999)) + chance.choice(("", "!", "$", "#", "??"))


def look_alike(kind: str, chance: random.Random) -> str:
    """Numbers that belong to things: orders, builds, books, parcels, money."""
    hexadecimal = "0123456789abcdef"
    patterns = {
        "order": ("#######", "ORD-######", "#-####-#####", "WEB####-####", "PO ######"), "ticket": ("#####", "OPS-####", "INC#######"), "isbn": ("978-#-###-#####-#", "978##########"),
        "sku": ("@@-####", "@#####@", "####-@@-##", "XK###"), "tracking": ("1Z###@@@##########", "@@#########@@", "#### #### #### ####"), "four": ("####",), "three": ("###",),
        "version": (f"{chance.randint(0, 9)}.{chance.randint(0, 30)}.{chance.randint(0, 20)}", f"v{chance.randint(1, 20)}.{chance.randint(0, 9)}"),
        "version4": (".".join(str(chance.randint(0, 12)) for _ in range(4)),), "year": (str(chance.randint(1066, 2023)),), "clock": (f"{chance.randint(6, 22)}:{chance.randint(0, 59):02d}",),
        "number": (str(chance.randint(2, 900)),), "hash": ("".join(chance.choice(hexadecimal) for _ in range(chance.choice((7, 8, 12)))),),
        "long_hash": ("".join(chance.choice(hexadecimal) for _ in range(64)),), "uuid": ("-".join("".join(chance.choice(hexadecimal) for _ in range(n)) for n in (8, 4, 4, 4, 12)),),
        "money": (f"${chance.randint(5, 9999)}", f"{chance.randint(5, 900)} euros", f"€{chance.randint(1, 99)}.{chance.randint(10, 99)}", f"{chance.randint(2, 80)} million dollars"),
    }
    return card(chance, valid=False) if kind == "badcard" else draw(chance.choice(patterns[kind]), chance)


LOOK_ALIKES = ("order", "ticket", "isbn", "sku", "tracking", "four", "three", "version", "version4", "year", "clock", "number", "hash", "long_hash", "uuid", "money", "badcard")
