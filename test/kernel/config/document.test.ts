import { describe, expect, test } from "vitest"
import { readDocument, readInSteps, readInTurns } from "../../../ts/kernel/config/document.ts"
import { wrapDocument } from "../../../ts/kernel/config/source-document.ts"
import { ConfigError } from "../../../ts/kernel/config/config-error.ts"

const read = (text: string): unknown => readDocument(text, "c.yaml").value

const rendered =
  "has {{ … }} of a template, which is rendered before rtr reads it: validate what helm template or the like prints"

/** `line:column message` of each problem. */
function problemsOf(text: string): readonly string[] {
  try {
    read(text)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(
      ({ message, position }) => `${position?.line ?? "-"}:${position?.column ?? "-"} ${message}`,
    )
  }
}

describe("values", () => {
  test("YAML and JSON read the same", () => {
    expect(read('a: {b: [1, 2.5, true, null, "x"]}\nc: yes')).toEqual({ a: { b: [1, 2.5, true, null, "x"] }, c: "yes" })
    expect(read('{"a": {"b": [1, 2.5, true, null, "x"]}}')).toEqual({ a: { b: [1, 2.5, true, null, "x"] } })
  })

  test("dates, octal-looking numbers and yes stay what they look like", () => {
    expect(read("date: 2024-01-01\nversion: v0.3\nswitch: on\nmode: 0o17\nlong: 0123")).toEqual({
      date: "2024-01-01",
      version: "v0.3",
      switch: "on",
      mode: 15,
      long: 123,
    })
  })

  test("an empty document is null", () => expect([read(""), read("# only a comment\n")]).toEqual([null, null]))

  test("a byte order mark is skipped", () => expect(read("\ufeffa: 1")).toEqual({ a: 1 }))

  test("a key named __proto__ is an ordinary key", () => {
    const value = read("__proto__: {polluted: true}") as Record<string, unknown>
    expect([Object.keys(value), value["polluted"], ({} as Record<string, unknown>)["polluted"]]).toEqual([
      ["__proto__"],
      undefined,
      undefined,
    ])
  })
})

describe("anchors", () => {
  test("aliases and merge keys repeat a value", () => {
    expect(read("base: &b {x: 1, y: 2}\ncopy: *b\nmerged:\n  <<: *b\n  y: 3")).toEqual({
      base: { x: 1, y: 2 },
      copy: { x: 1, y: 2 },
      merged: { x: 1, y: 3 },
    })
  })

  test("an alias without anchor is a problem at its place, without its name", () => {
    const message = "is an alias of an anchor that no earlier value has; quote a text that begins with *"
    expect(problemsOf("a: 1\nkey: *hunter2\n")).toEqual([`2:6 ${message}`])
    expect(problemsOf("a: *later\nb: &later 1\n")).toEqual([`1:4 ${message}`])
  })

  test("aliases that multiply are refused", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for (let level = 1; level <= 9; level++) {
      const inner = Array.from({ length: 9 }, () => `*a${level - 1}`).join(", ")
      lines.push(`a${level}: &a${level} [${inner}]`)
    }
    expect(problemsOf(lines.join("\n"))).toEqual(["-:- Excessive alias count indicates a resource exhaustion attack"])
  })

  test("many plain aliases are no bomb", () => {
    const text = `base: &b {x: 1}\nlist: [${Array.from({ length: 500 }, () => "*b").join(", ")}]`
    expect((read(text) as { list: unknown[] }).list).toHaveLength(500)
  })

  test.each(["a: &a [*a]", "a: &a {b: {c: *a}}", "&root\na: *root"])("%j holds itself and is refused", (text) => {
    expect(problemsOf(text)).toEqual(["-:- has an alias that stands inside its own anchor"])
  })
})

describe("problems", () => {
  test.each([
    ["a: 1\nb: 2\na: 3\n", ['3:1 has the key "a" twice; it stands in line 1 as well']],
    [
      "a: {x: 1, x: 2}\nb: {y: 1, y: 2}\n",
      [
        '1:11 has the key "x" twice; it stands in line 1 as well',
        '2:11 has the key "y" twice; it stands in line 2 as well',
      ],
    ],
    ['a: "open\n', ['2:1 Missing closing "quote']],
    ["a: [1, 2\n", ["2:1 Flow sequence in block collection must be sufficiently indented and end with a ]"]],
    ["a:\n\tb: 1\n", ["2:1 Tabs are not allowed as indentation"]],
    ["a: b: c\n", ["1:4 Nested mappings are not allowed in compact mappings"]],
    ["a: @x\n", ["1:4 Plain value cannot start with reserved character @"]],
    ["a: 1\n---\nb: 2\n", ["2:1 begins a second document here; a file holds one"]],
    ["a: 1\nversion:v0.3\nrouting: {}\n", ["2:1 has no space behind a colon; write key: value"]],
    ["a: 1\nkey:sk-secret\n", ["2:1 has no space behind a colon; write key: value"]],
    ["a: {{ .Values.x }}\nb: [{{ .Values.y }}]\n", [`1:5 ${rendered}`, `2:6 ${rendered}`]],
    ["a: {{ .Values.x }}-b\n", [`1:4 ${rendered}`]],
    ["{{- if .Values.x }}\na: 1\n{{- end }}\n", [`1:1 ${rendered}`]],
    ['a: 1\n{{ include "x" . }}\n', [`2:1 ${rendered}`]],
    ['a: "{{ x }}" "b"\n', ["1:14 Unexpected double-quoted-scalar at node end"]],
    ["? [a]\n: 1\n", ["1:3 has a list or a map in place of a key"]],
  ])("of %j have line and column", (text, problems) => expect(problemsOf(text)).toEqual(problems))

  test.each(["!foo {}", "!!binary aGk=", "!!set {a}", "!!omap [a: 1]", "!!timestamp 2024-01-01", "!!js/function x"])(
    "the tag of %s is refused",
    (value) => expect(problemsOf(`a: 1\nb: ${value}\n`)).toEqual(["2:4 Unresolved tag"]),
  )

  test("tags of the core types may be written", () => expect(read("a: !!str 5\nb: !!int 5")).toEqual({ a: "5", b: 5 }))

  test.each([
    "key: hunter2: x\n",
    'key: "hunter2\n',
    "key: | hunter2\n  x\n",
    "key: !hunter2 x\n",
    "key: *hunter2\n",
    "key: {x: hunter2]\n",
    'key: "x" hunter2\n',
    'key: "\\q hunter2"\n',
    "key: [hunter2}\n",
    "key: 'it's hunter2'\n",
    "key: %hunter2\n",
    "key: `hunter2`\n",
    "- key: hunter2\n a: hunter2\n",
  ])("of %j do not quote the text", (text) => {
    const problems = problemsOf(text)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join()).not.toContain("hunter2")
  })

  test.each([
    ["flow lists", `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["flow maps", `a: ${"{a: ".repeat(20_000)}${"}".repeat(20_000)}`],
    ["blocks", Array.from({ length: 3000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("of %s nested without end are reported, not thrown", (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0)
  })

  test("a text that is too large is not parsed", () => {
    expect(problemsOf("a".repeat(8 * 1024 * 1024 + 1))).toEqual([
      "-:- has 8388609 characters; a document has at most 8388608 bytes",
    ])
  })

  test("a map of very many keys is read, and those that stand twice are found", () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `key${index}: 1\n`)
    const document = readDocument(lines.join(""), "c.yaml")
    // Comparing each key with all others, or looking through all of them for each place, takes minutes.
    expect(lines.map((__, index) => document.locate([`key${index}`])?.line)).toEqual(
      lines.map((__, index) => index + 1),
    )
    expect(problemsOf(`${lines.join("")}key7: 2\nb: {c: 1, 'c': 2}\n`)).toEqual([
      '100001:1 has the key "key7" twice; it stands in line 8 as well',
      '100002:11 has the key "c" twice; it stands in line 100002 as well',
    ])
  })

  test("a document that its aliases make too large is refused", () => {
    const copies = Array.from({ length: 900 }, () => "*a").join(", ")
    expect(problemsOf(`a: &a ${"x".repeat(10_000)}\nb: [${copies}]`)).toEqual([
      "-:- has 9010905 characters with its aliases written out; a document has at most 8388608 bytes",
    ])
  })

  test("nesting without end is one problem that says so", () => {
    expect(problemsOf(`a: ${"[".repeat(20_000)}`)).toEqual(["-:- is nested too deeply to be read"])
  })

  test("name the source", () => {
    expect(() => readDocument("a: [", "dir/c.yaml")).toThrow("Cannot use dir/c.yaml: 1 problem")
  })
})

describe("locate", () => {
  const document = readDocument(
    "version: v0.3\nlist:\n  - name: a\n    deep: {x: 1}\n  - &b name: b\n5: five\n",
    "c.yaml",
  )

  test.each([
    [[], { line: 1, column: 1 }],
    [["version"], { line: 1, column: 1 }],
    [["list"], { line: 2, column: 1 }],
    [["list", 0], { line: 3, column: 5 }],
    [["list", 0, "name"], { line: 3, column: 5 }],
    [["list", 0, "deep"], { line: 4, column: 5 }],
    [["list", 0, "deep", "x"], { line: 4, column: 12 }],
    [["5"], { line: 6, column: 1 }],
  ])("%j stands at %o", (path, position) => expect(document.locate(path)).toEqual(position))

  test.each([
    [["list", 0, "missing"], { line: 3, column: 5 }],
    [["list", 7, "x"], { line: 2, column: 1 }],
    [["missing"], { line: 1, column: 1 }],
    [["version", "deeper"], { line: 1, column: 1 }],
    [["list", "name"], { line: 2, column: 1 }],
  ])("%j is not there and stands where its nearest ancestor does, at %o", (path, position) =>
    expect(document.locate(path)).toEqual(position),
  )

  test("nothing stands anywhere in a value that is no text", () => {
    const value = { a: 1 }
    const wrapped = wrapDocument(value)
    expect([wrapped.value, wrapped.locate(["a"])]).toEqual([value, undefined])
  })
})

test("a reference without quotes inside braces is one problem that says what to write", () => {
  const rest = "b: { c: 1 }\n".repeat(30)
  expect(problemsOf(`a:\n  - { port: ${"${PORT}"}, host: ${"${HOST:-h}"} }\n${rest}`)).toEqual([
    '2:13 has ${PORT} without quotes inside { } or [ ]; write "${PORT}", and every other one there too',
  ])
  expect(problemsOf(`a: [${"${KEY}"}]\n`)).toEqual([
    '1:5 has ${KEY} without quotes inside { } or [ ]; write "${KEY}", and every other one there too',
  ])
  expect(problemsOf('a: { port: "${PORT}" }\nb: ${PORT}\n')).toEqual([])
})

test("a long document is read in many steps, and remembers that it is long", () => {
  const text = Array.from({ length: 10_000 }, (_, index) => `key${index}: value\n`).join("")
  expect([...readInSteps(text, "config.yaml")].length).toBeGreaterThan(100)
  expect(readDocument(text, "config.yaml").isLong).toBe(true)
  expect(readDocument("a: 1", "config.yaml").isLong).toBeUndefined()
  expect(readInTurns(text, "config.yaml")).toBeInstanceOf(Promise)
  expect(readInTurns("a: 1", "config.yaml")).toMatchObject({ value: { a: 1 } })
})
