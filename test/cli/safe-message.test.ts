import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, test } from "vitest"
import { errorCodes, RtrError } from "rtr"
import { toldError } from "../../ts/cli/safe-message.ts"
import { moduleFault } from "../../ts/kernel/error.ts"
import { temporaryFolder } from "../e2e/_processes.ts"

/** What a module with this source throws when it is called with a text. */
async function thrownBy(body: string, text: unknown): Promise<unknown> {
  const file = join(temporaryFolder(), "module.mjs")
  writeFileSync(file, `export const run = (call) => {\n${body}\n}\n`)
  const { run } = (await import(pathToFileURL(file).href)) as { run: (call: unknown) => unknown }
  try {
    run(text)
  } catch (error) {
    return error
  }
  throw new Error("it did not throw")
}

const prompt = "CANARY: transfer 4711 to Ann, größe 日本 🙂"

describe("a message keeps the words of the source that threw it and of the language", () => {
  test.each([
    ["return call.rates.cheap", {}, "TypeError", "Cannot read properties of undefined (reading 'cheap')"],
    ["return pirces.get(call)", prompt, "ReferenceError", "pirces is not defined"],
    ["throw new Error(`no price for the model ${call}`)", "CANARY", "Error", "no price for the model […]"],
    ["throw new Error(call)", prompt, "Error", "[…]"],
    ["throw new Error('bad text: ' + call)", prompt, "Error", "bad text: […]"],
    ["throw new RangeError(`too long: ${call} (at most 50)`)", prompt, "RangeError", "too long: […] (at most 50)"],
    ["JSON.parse(call)", "CANARY of Ann", "SyntaxError", "Unexpected token '[…] is not valid JSON"],
    ["call.flag = 1", null, "TypeError", "Cannot set properties of null (setting 'flag')"],
    ["'use strict'; call.flag = 1", "CANARY Ann", "TypeError", "Cannot create property 'flag' on string '[…]"],
    ["throw Object.assign(new Error('x is wrong'), { name: call })", "CANARY name", "Error", "x is wrong"],
  ])("%s", async (body, text, name, message) => {
    const told = toldError(await thrownBy(body, text))
    expect([told.name, told.message]).toEqual([name, message])
    expect(told.at).toMatch(/module\.mjs:2:\d+$/)
    expect(JSON.stringify(told)).not.toMatch(/CANARY|Ann|4711|größe|日本|🙂/)
  })
})

test("lines of a message that look like a stack are not told", async () => {
  const text = "CANARY\n    at CANARY (/CANARY/file.js:1:1)\n    at /CANARY.js:1:1"
  const told = toldError(await thrownBy("throw new Error(call)", text))
  expect(JSON.stringify(told)).not.toContain("CANARY")
  expect(told.stack[0]).toMatch(/module\.mjs:2:\d+/)
})

test("an RtrError with a code that is none says which there are", () => {
  const codes = Object.keys(errorCodes).join(", ")
  const told = (code: string): string => toldError(new RtrError(code as never, "x is wrong")).message
  expect(told("CANARY")).toBe(`x is wrong (its code is unknown; there are ${codes})`)
  expect(told("unavailable")).toBe("x is wrong")
})

test("what is no error has no text", () => {
  expect(toldError("CANARY")).toEqual({ name: "string", message: "[…]", at: undefined, stack: [] })
})

test("what the kernel says about a module is told whole, and nothing that a module makes of it", () => {
  const text = 'Cannot use plugin "größe" from /etc/rtr/größe.ts: its open returned no hooks'
  const fault = moduleFault(text)
  const told = { name: "RtrError", message: text, at: undefined, stack: [] }
  expect(toldError(fault)).toEqual(told)
  fault.message = prompt
  expect(toldError(fault)).toEqual(told)
  // A word of this file would be kept.
  const quoted = String.fromCharCode(67, 65, 78)
  const copies = [
    new RtrError("invalid_module", quoted),
    Object.assign(new Error(quoted), { ...fault }),
    new RtrError("invalid_module", quoted, { cause: fault }),
  ]
  for (const error of copies) expect(toldError(error).message).toBe("[…]")
})
