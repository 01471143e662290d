import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { loadNumberingPlans } from "../../../../../ts/plugins/_shared/personal-data/numbering-plans.ts"
import { findPhoneNumbers } from "../../../../../ts/plugins/_shared/personal-data/patterns/phone-number.ts"

const plans = await loadNumberingPlans()
const found = partsBy((text) => findPhoneNumbers(text, plans))

const areFound = (cases: readonly (readonly [text: string, ...numbers: readonly string[]])[]): void => {
  for (const [text, ...numbers] of cases) expect([text, ...found(text)]).toEqual([text, ...numbers])
}
const areNot = (texts: readonly string[]): void => areFound(texts.map((text) => [text]))

test("two zeros stand for the plus where the country has such a number", () =>
  areFound([
    ["0041 79 384 55 12 is hers", "0041 79 384 55 12"],
    ["write to 0031-6-28471935", "0031-6-28471935"],
    ["00 33 6 12 48 93 75", "00 33 6 12 48 93 75"],
    ["0049 (0)30 2201948", "0049 (0)30 2201948"],
    ["(0044) 20 7946 0958", "(0044) 20 7946 0958"],
    ["send it to 00351912384756, please", "00351912384756"],
    ["0049151/23948571", "0049151/23948571"],
  ]))

test("other numbers with zeros before them are none", () =>
  areNot([
    "00 44 79 11 38 47 26",
    "0049 3022 0194 8222",
    "0000 1234 5678 9012",
    "0012345678901",
    '"00351912384756"',
    "id=00351912384756",
    "port 0049 1024 2048",
    "0033 is the code of France and 0044 of Britain",
    "0099 171 2345678",
    "Sendung 0041 79 384 55 12",
  ]))

test("words of many languages announce a number", () =>
  areFound([
    ["Bitte rufen Sie mich morgen unter 03022019481 an", "03022019481"],
    ["du erreichst mich unter 015123948571", "015123948571"],
    ["meine neue Nummer: 015123948571", "015123948571"],
    ["escríbeme al 655218403", "655218403"],
    ["mi número es 655 21 84 03", "655 21 84 03"],
    ["liga para mim: 912384756", "912384756"],
    ["contattami al 3398127456", "3398127456"],
    ["mijn nummer is 0612983746", "0612983746"],
    ["bel mij op 0612983746", "0612983746"],
    ["dzwońcie do nas: 602918374", "602918374"],
    ["on peut me joindre au 0148937512", "0148937512"],
    ["перезвоните мне: 89123456781", "89123456781"],
    ["mobilnummer: 48 29 17 36", "48 29 17 36"],
    ["text Joel 6175550184 when done", "6175550184"],
    ["please call 5550184.", "5550184"],
    ["Contact: 015123948571", "015123948571"],
    ["mobile 07700912384", "07700912384"],
    ["the registered mobile number 9845231764", "9845231764"],
  ]))

test("the same words before what is no number to call announce none", () =>
  areNot([
    "The system call 4294967295 returned -1",
    "each API call 1718236400123 ms",
    "We call 5000000 functions a day",
    "please call 1234567 times",
    "dial 2000000 back to 200000",
    "Charity registered number 10459823",
    "desk 1004568 is taken",
    "cell 1048577 holds the sum",
    "SMS 1234568 sent",
    "the fax 2025031109 entry is lost",
    "The mobile build 20260504 crashed",
    "desk research 2019 2020 2021",
    "Der Telefon-Dienst meldet Fehler 80070006",
    "The API is available on 20260504",
    "reach the export on 1718236400",
    "appel au 20240101",
    "Liga 2023 1234567",
    "numéro 12345678",
    "ruf die Funktion 12345678 mal auf",
  ]))

test("numbers of things and files, and of a list, are none in any language", () =>
  areNot([
    "Bestellnummer 0221 4710815",
    "Art.-Nr. 030-2201948",
    "Rechnung 030-901820",
    "Kunden-Nr.: 0711 4567890",
    "die Vertragsnummer ist 0221 4710815",
    "commande 06 12 48 93 75",
    "numéro de dossier 01 48 93 75 12",
    "pedido 912 384 756",
    "customer number 0711 4567890",
    "contract no. 0221 4710815",
    "model 415-555-0132",
    "lottery numbers: 06 12 18 23 45",
    "048 052 0642 0711",
  ]))

test("a number is found whole, and what stands behind it is not taken", () =>
  areFound([
    ["0152-39 48 57 12", "0152-39 48 57 12"],
    ["0176-48 29 17 36, or later", "0176-48 29 17 36"],
    ["06 12 34 56 78 24", "06 12 34 56 78"],
    ["write to 0171 2345678 2 times", "0171 2345678"],
    ["0171 2345678 0172 3456789", "0171 2345678", "0172 3456789"],
  ]))
