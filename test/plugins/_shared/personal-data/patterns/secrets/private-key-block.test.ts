import { expect, test } from "vitest"
import { partsBy } from "../../../../../fakes/found-parts.ts"
import { findServiceKeys } from "../../../../../../ts/plugins/_shared/personal-data/patterns/secrets/service-key.ts"

const found = partsBy(findServiceKeys)

/** In parts, so that scanners of this repository do not take it for a real one. */
const first = `-----BEGIN ${"PRIVATE"} KEY-----`
const last = `-----END ${"PRIVATE"} KEY-----`
const lines = "MC4CAQAwBQYDK2VwBCIEIJ8q\nZ7Rm2xLw7KpVw4YcN9sJd3Hf\nB6gT=="

test("a private key is found from its first line to its last", () => {
  const encrypted = `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,5D2A\n\n${lines}`
  const cases = [
    `${first}\n${lines}\n${last}`,
    `${first}\\n${lines.replaceAll("\n", "\\n")}\\n${last}`,
    `${first}\n${encrypted}\n${last}`,
    first,
  ]
  for (const key of cases) expect([key, ...found(`use ${key} for now`)]).toEqual([key, key])
})

test("without its last line a private key ends with its base64", () => {
  for (const key of [`${first}\n${lines}`, `${first}\\n${lines.replaceAll("\n", "\\n")}`])
    expect([key, ...found(`${key} and the rest of it`)]).toEqual([key, key])
})

test("keys of services in a private key are no findings of their own, and others are", () => {
  const key = `AKIA${"Q3EGRIEK2UXHTWQ7"}`
  const block = `${first}\n${key}\n${last}`
  expect(found(`${key}\n${block}\n${key}\n${block}`)).toEqual([key, block, key, block])
})

test("public keys and last lines alone are none", () => {
  for (const text of [`-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----`, last, lines])
    expect([text, ...found(text)]).toEqual([text])
})
