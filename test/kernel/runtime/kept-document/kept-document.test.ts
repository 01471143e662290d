import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigError } from "rtr"
import { expect, test, vi } from "vitest"
import type { Environment } from "../../../../ts/kernel/config/environment.ts"
import type { ActivationOutcome } from "../../../../ts/kernel/generations/activation.ts"
import { createKeptDocument } from "../../../../ts/kernel/runtime/kept-document/kept-document.ts"
import { sha256 } from "../../../../ts/kernel/runtime/bare-kernel.ts"
import { emptyFolder } from "../../../fakes/hub.ts"
import { fakeActivation, fakeStatus } from "../../../fakes/status.ts"

const before = "# Ours\nversion: v0.3\n"

/** A document whose activation ends as the test says. */
function open(load: () => Promise<never> = async () => ({}) as never, environment: Environment = {}) {
  const folder = emptyFolder()
  const path = join(folder, "config.yaml")
  writeFileSync(path, before)
  const logged: unknown[] = []
  let settle: (outcome: Partial<ActivationOutcome>) => void = () => {}
  let state: "active" | "pending" = "active"
  const activated: string[] = []
  const document = createKeptDocument({
    path,
    toInput: async (text) => ({ text, source: path }),
    log: (level, event, fields) => logged.push([level, event, fields?.["reason"]]),
    environment: () => environment,
    router: () => ({
      load,
      activate: ({ text }) => {
        activated.push(text)
        return new Promise((resolve) => (settle = resolve as typeof settle))
      },
      status: () => fakeStatus({ activation: fakeActivation({ state }) }),
    }),
  })
  return {
    folder,
    document,
    logged,
    activated,
    text: () => readFileSync(path, "utf8"),
    write: (text: string) => writeFileSync(path, text),
    isPending: () => (state = "pending"),
    settle: async (outcome: Partial<ActivationOutcome>) => {
      settle(outcome)
      await vi.waitFor(() => expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]))
    },
  }
}

const values = [[["name"], "x"]] as const
const client = { permissions: undefined }
const after = `${before}name: x\n`

test("reading gives the document as it is written, and its tag", async () => {
  const { document, write } = open()
  const value = { version: "v0.3" }
  expect(await document.read()).toEqual({ value, redacted: value, etag: `"${await sha256(before)}"` })
  write('api_key: "${KEY}"\nauth: { api_key: secret }\n')
  expect(await document.read()).toMatchObject({
    value: { api_key: "${KEY}", auth: { api_key: "secret" } },
    redacted: { api_key: "${KEY}", auth: { api_key: "<redacted>" } },
  })
})

test("a change is activated, and its file is written when it serves", async () => {
  const { document, text, activated, settle, folder } = open()
  const changed = await document.change({ client, values, files: { "kb/one.json": "1" } })
  const hash = await sha256(after)
  expect(changed).toEqual({ hash, etag: `"${hash}"`, status: "pending", settled: expect.any(Promise) })
  expect([activated, text(), readFileSync(join(folder, "kb/one.json"), "utf8")]).toEqual([[after], before, "1"])
  await settle({ result: "active" })
  expect([await changed.settled, text()]).toEqual(["active", after])
})

test("a document that does not serve is not kept, and the log says so", async () => {
  for (const result of ["rejected", "superseded"] as const) {
    const { document, text, settle, logged } = open()
    const { settled } = await document.change({ client, values })
    await settle({ result })
    expect([await settled, text()]).toEqual(["failed", before])
    expect(logged).toEqual([["warning", "config_change_not_kept", `the document was ${result}`]])
  }
})

test("what somebody else has written meanwhile stays", async () => {
  const { document, text, write, settle, logged } = open()
  await document.change({ client, values })
  write("version: v0.3\nmine: 1\n")
  await settle({ result: "active" })
  expect(text()).toBe("version: v0.3\nmine: 1\n")
  expect(logged).toEqual([["warning", "config_change_not_kept", "somebody else has changed the file"]])
})

test("a document that would be wrong is refused and leaves no file behind", async () => {
  const { document, text, folder, activated } = open(async () => {
    throw new ConfigError("config.yaml", [{ path: ["name"], code: "invalid", message: "is wrong" }])
  })
  await expect(document.change({ client, values, files: { "one.json": "1" } })).rejects.toMatchObject({
    managementCode: "CONFIG_VALIDATION_ERROR",
    status: 400,
    message: expect.stringContaining("name: is wrong"),
  })
  expect([text(), activated, existsSync(join(folder, "one.json"))]).toEqual([before, [], false])
  // And the next one is taken, and so is one that only asks.
  await expect(document.change({ client, values })).rejects.toMatchObject({ managementCode: "CONFIG_VALIDATION_ERROR" })
  await expect(document.check({ client, values })).rejects.toMatchObject({ managementCode: "CONFIG_VALIDATION_ERROR" })
})

test("a second change waits for the first, and so does one while a document is being activated", async () => {
  const pending = { managementCode: "CONFIG_ACTIVATION_PENDING", status: 409 }
  const { document, settle, isPending } = open()
  await document.change({ client, values })
  await expect(document.change({ client, values })).rejects.toMatchObject(pending)
  await settle({ result: "active" })
  await vi.waitFor(() => document.change({ client, values: [[["name"], "y"]] }))
  await settle({ result: "active" })
  isPending()
  await expect(document.change({ client, values })).rejects.toMatchObject(pending)
})

test("a change that needs If-Match is made for the document as it is", async () => {
  const { document } = open()
  const { etag } = await document.read()
  const attempt = (header: string | undefined) => document.change({ client, values, ifMatch: { header } })
  await expect(attempt(undefined)).rejects.toMatchObject({ managementCode: "PRECONDITION_REQUIRED", status: 428 })
  await expect(attempt('"old"')).rejects.toMatchObject({ managementCode: "CONFIG_CHANGED", status: 412 })
  expect(await attempt(`"old", ${etag}`)).toMatchObject({ status: "pending" })
})
