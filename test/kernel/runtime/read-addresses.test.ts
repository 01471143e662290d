import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readAddresses } from "../../../ts/kernel/runtime/read-addresses.ts"
import { emptyFolder } from "../../fakes/hub.ts"

const read = (document: object | string, environment = {}) => {
  const path = join(emptyFolder(), "config.yaml")
  writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document))
  return readAddresses(path, environment)
}
const managementOn = (management_api: unknown) => ({ global: { services: { management_api } } })

test("the addresses of a document that names none are the defaults", async () => {
  for (const document of ["version: v0.3", "- a list", "", { listeners: [], global: null }]) {
    const addresses = await read(document)
    expect([addresses.listener(), addresses.management()]).toEqual([
      { url: "http://127.0.0.1:8801", place: "listeners[0]", key: undefined },
      { url: "http://127.0.0.1:8080", place: "global.services.management_api" },
    ])
  }
})

test("the first listener counts, with its first key, and text from the environment is read", async () => {
  const document = {
    listeners: [
      { name: "a", address: "0.0.0.0", port: "${PORT:-8123}", api_keys: ["${NONE}", "${KEY}"] },
      { name: "b", address: "127.0.0.1", port: 1 },
    ],
  }
  expect((await read(document, { KEY: "k" })).listener()).toMatchObject({
    url: "http://127.0.0.1:8123",
    key: "k",
    unset: undefined,
  })
  expect((await read(document, {})).listener()).toMatchObject({ key: undefined, unset: "NONE" })
  expect((await read(document, { PORT: "99" })).listener()).toMatchObject({
    url: "http://127.0.0.1:99",
    key: undefined,
  })
  expect((await read({ listeners: [{ address: "::1", port: 5 }] })).listener().url).toBe("http://[::1]:5")
})

test.each([
  [undefined, undefined],
  [["acme/support"], "acme/support"],
  [["small", "acme/support", 7], "acme/support"],
  [["auto"], "auto"],
  [["MoM", "acme/support"], undefined],
  [["small"], undefined],
  ["acme/support", undefined],
])("a listener with the models %j has the one automatic name %s", async (models, name) => {
  const document = {
    listeners: [{ name: "a", address: "::1", port: 5, models }],
    entrypoints: [{ model_names: ["acme/support"], recipe: "support" }, null],
  }
  expect((await read(document)).listener().onlyName).toBe(name)
})

test("names of automatic routing are those of the document", async () => {
  const document = {
    listeners: [{ name: "a", address: "::1", port: 5, models: ["MoM", "Mine"] }],
    global: { router: { auto_model_name: "Mine", auto_model_names: "none" } },
  }
  expect((await read(document)).listener().onlyName).toBe("Mine")
})

test("a key with a name counts like one without", async () => {
  const keys = [{ name: "gone", key: "${NONE}" }, null, { name: "team", key: "${KEY}" }, "later"]
  const { listener } = await read({ listeners: [{ name: "a", address: "::1", port: 5, api_keys: keys }] }, { KEY: "k" })
  expect(listener().key).toBe("k")
})

test("a document that is wrong elsewhere, or has modules, still tells its addresses", async () => {
  const document = { ...managementOn({ port: 8090, bind_address: "localhost" }), modules: ["./none.ts"], routng: 1 }
  expect((await read(document)).management().url).toBe("http://localhost:8090")
})

test("an address that leads nowhere is refused with its place", async () => {
  const refused = (key: string, wanted: string) =>
    expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(`${key} must be ${wanted}`) })
  for (const port of [0, 65536, "", "${NONE}", 1.5, "x", null]) {
    const addresses = await read({ ...managementOn({ port }), listeners: [{ address: "127.0.0.1", port }] })
    expect(() => addresses.management()).toThrow(refused("port", "a number from 1 to 65535"))
    expect(() => addresses.listener()).toThrow(refused("port", "a number from 1 to 65535"))
  }
  const elsewhere = await read(managementOn({ bind_address: "collector.example" }))
  expect(() => elsewhere.management()).toThrow(refused("bind_address", "an address of this machine"))
  const nowhere = await read({ listeners: [{ port: 5 }] })
  expect(() => nowhere.listener()).toThrow(refused("address", "an address of this machine"))
})
