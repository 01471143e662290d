import { expect, test } from "vitest"
import { parse } from "yaml"
import { editText } from "../../../../ts/kernel/config/edit/edit-text.ts"

const yaml = `# Ours
version: v0.3 # of the format
routing:
  decisions:
    # the first
    - name: a
    - name: b
`

test("values are set, added and removed, and comments stay", async () => {
  const edited = await editText(yaml, [
    [["routing", "decisions", 1], { name: "c", priority: 2 }],
    [["global", "model_catalog", "kbs"], [{ name: "x" }]],
    [["global", "model_catalog", "kbs", 1], { name: "y" }],
  ])
  expect(edited).toBe(`# Ours
version: v0.3 # of the format
routing:
  decisions:
    # the first
    - name: a
    - name: c
      priority: 2
global:
  model_catalog:
    kbs:
      - name: x
      - name: y
`)
  const removed = await editText(edited, [[["global", "model_catalog", "kbs", 0], undefined]])
  expect(removed.endsWith("kbs:\n      - name: y\n")).toBe(true)
  expect(await editText("", [[["version"], "v0.3"]])).toBe("version: v0.3\n")
})

test("a JSON text stays one", async () => {
  const edited = await editText('{"a": {"b": [1, 2]}}', [
    [["a", "b", 0], undefined],
    [["a", "c"], { d: "e" }],
    [["a", "b", 1], 3],
  ])
  expect(JSON.parse(edited)).toEqual({ a: { b: [2, 3], c: { d: "e" } } })
  for (const empty of ["{}", "version: v0.3\n"])
    expect(await editText(empty, [[["recipes", 0], { name: "a" }]])).toMatch(
      /recipes"?:\s+(\[\s+\{\s+"name": "a"|- name: a)/,
    )
  expect(await editText("{ a: [1] }", [[["b"], 2]])).toBe("{ a: [ 1 ], b: 2 }\n")
})

test("what other places share is not changed", async () => {
  for (const shared of ["x: &x { kbs: [] }\nglobal: *x\n", "x: &x { kbs: [] }\nglobal: { <<: *x, other: 1 }\n"])
    await expect(editText(shared, [[["global", "kbs", 0], 1]])).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("takes global from a YAML alias"),
    })
})

test("an alias whose anchor goes with a change is written out, and the others stay", async () => {
  const text = `kept: &kept { b: 2 }
routing: { decisions: [&all { name: all, of: *kept }] }
recipes: [{ name: p, decisions: [*all], kept: *kept }]
twice: &kept { b: 3 }
last: *kept
`
  const edited = await editText(text, [
    [["routing"], { decisions: [] }],
    [["twice"], 1],
  ])
  expect(edited).toContain("kept: *kept } ]")
  expect(parse(edited)).toEqual({
    kept: { b: 2 },
    routing: { decisions: [] },
    recipes: [{ name: "p", decisions: [{ name: "all", of: { b: 2 } }], kept: { b: 2 } }],
    twice: 1,
    last: { b: 3 },
  })
  const merged = "x: &x { a: 1 }\ny: { <<: *x, b: 2 }\n"
  expect(parse(await editText(merged, [[["x"], undefined]]), { merge: true })).toEqual({ y: { a: 1, b: 2 } })
})
