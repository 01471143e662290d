import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deploymentsOf, loadConfig } from "../../../ts/kernel/runtime/load-config.ts"
import { documentWith, smallDocument } from "../../fakes/document.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string | object): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 1))
  return path
}

test("a file is read, checked and named by its bytes", async () => {
  const text = JSON.stringify(documentWith({ "providers.models.1.backend_refs.0.api_key": "${KEY}" }))
  const path = write("small.yaml", text)
  const config = await loadConfig(path, { environment: { KEY: "secret" } })
  expect([config.path, config.hash]).toEqual([path, createHash("sha256").update(text).digest("hex")])
  expect(config.document.providers?.models?.[1]?.backend_refs?.[0]?.api_key).toBe("secret")
  expect(JSON.stringify(config.unexpanded)).not.toContain("secret")
  expect(config.registry.find("signal", "keyword")).toBeDefined()
  expect(config.warnings).toEqual([])
})

test("the process's environment is used when none is given", async () => {
  const path = write("path.yaml", documentWith({ "routing.decisions.0.description": "${PATH}" }))
  expect((await loadConfig(path)).document.routing?.decisions?.[0]?.description).toBe(process.env["PATH"])
})

describe("a file that cannot be used", () => {
  test("because it is not there says how to make one", async () => {
    const path = join(folder, "none.yaml")
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: `There is no file ${path}; make one with: rtr config init --output ${path}`,
    })
  })

  test("because it is a folder says so", async () => {
    const path = join(folder, "folder.yaml")
    mkdirSync(path)
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`Cannot read ${path}: EISDIR`),
    })
  })

  test("because its modules cannot be loaded lists each with its place", async () => {
    const path = write("modules.yaml", "version: v0.3\nrouting: {}\nmodules:\n  - ./gone.mjs\n  - ./away.mjs\n")
    await expect(loadConfig(path)).rejects.toThrow(
      new RegExp(
        String.raw`^Cannot use ${path}: 2 problems\n  ${path}:4:5 modules\[0\]: Cannot load module ./gone.mjs: .*\n  ${path}:5:5 modules\[1\]: `,
      ),
    )
  })

  test("because of its syntax lists where", async () => {
    const path = write("broken.yaml", "version: v0.3\nrouting: [\n")
    await expect(loadConfig(path)).rejects.toThrow(`Cannot use ${path}: 1 problem\n  ${path}:3:1 (document): `)
  })

  test("because of its content lists everything with its place", async () => {
    const path = write("wrong.yaml", documentWith({ "listeners.0.port": "x", "routing.strategy": "dice" }))
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      problems: [
        { path: ["listeners", 0, "port"], position: { line: 7, column: 4 } },
        { path: ["routing", "strategy"], position: expect.anything() },
      ],
    })
  })

  test("because a module that it names is not there names the module", async () => {
    const path = write("modules.yaml", { ...smallDocument, modules: ["./none.ts"] })
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("Cannot load module ./none.ts"),
    })
  })
})

test("modules stand relative to the file and bring their keys", async () => {
  const path = write("own.yaml", {
    ...documentWith({
      "routing.signals.shouting": [{ name: "loud" }],
      "routing.decisions.0.rules": { type: "shouting", name: "loud" },
    }),
    modules: ["./shouting.mjs"],
  })
  write(
    "shouting.mjs",
    `import { defineSignal, Type } from "rtr"
export default defineSignal({
  about: "Matches capitals",
  rule: Type.Object({}),
  setup: (rules) => ({ read: ({ text }) => rules.map(({ name }) => ({ rule: name, state: text === text.toUpperCase() ? "match" : "no_match", confidence: 1 })) }),
})`,
  )
  const config = await loadConfig(path)
  expect(config.registry.find("signal", "shouting")).toMatchObject({ source: "./shouting.mjs" })
  expect(config.document.routing?.signals?.["shouting"]).toEqual([{ name: "loud" }])
})

test("deploymentsOf names what the file needs", async () => {
  const config = await loadConfig(
    write("domains.yaml", documentWith({ "routing.decisions.0.rules": { type: "domain", name: "law" } })),
  )
  expect(deploymentsOf(config).map(({ name, artifact }) => [name, artifact])).toEqual([["default", "signals"]])
})
