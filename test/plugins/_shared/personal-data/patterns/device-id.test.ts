import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findDeviceIds } from "../../../../../ts/plugins/_shared/personal-data/patterns/device-id.ts"

const found = partsBy(findDeviceIds)

const value = "HH-QT 2718"

test("number plates are found behind their word", () => {
  const cases = [
    ["Kennzeichen HH-QT 2718", "HH-QT 2718"],
    ["Mein Kennzeichen ist HH QT 27E.", "HH QT 27E"],
    ["das Kennzeichen meines Autos lautet HH-QT 2718", "HH-QT 2718"],
    ["license plate: 6KTR914", "6KTR914"],
    ["My licence plate number is KX19 TDN", "KX19 TDN"],
    ["number plate of my car is KX19TDN", "KX19TDN"],
    ["plaque GH-482-TK", "GH-482-TK"],
    ["targa GH 482 TK", "GH 482 TK"],
    ["kenteken 7-KTR-91", "7-KTR-91"],
    ["matrícula 4821 KTR", "4821 KTR"],
  ] as const
  for (const [text, part] of cases) expect([text, ...found(text)]).toEqual([text, part])
})

test("what stands near the word, or has no letters, is none", () => {
  const cases = [
    "HH-QT 2718",
    "a license plate detector on RTX 3090",
    "license plate 4821",
    "license plate recognition with GPT-4 2024",
    "number plate ABC",
    "targa 2024",
    "Kennzeichen der Reihe KTR 482",
    "license plate AB-12-CD-34",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("hostile texts are read to their end", () => {
  for (const unit of [
    "Kennzeichen H",
    "Kennzeichen ",
    "HH-QT ",
    "license plate number is A",
    "A1-",
    "Kennzeichen ist Kennzeichen HH-",
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} Kennzeichen ${value}`).at(-1)).toBe(value)
  }
})

test("what words of number plates name besides is none", () => {
  const cases = [
    "¿Qué placa RTX 4090 me recomiendas?",
    "Programa la placa ESP32 con wifi",
    "matrícula CAP 2024",
    "Targa GTS 500 review",
    "Company registration number ABC 1234",
    "Order registration number: SKU 4821",
  ]
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})
