import { describe, expect, test } from "vitest"
import { expandEnvironment, pathKey } from "../../../ts/kernel/config/environment.ts"

const environment = { NAME: "value", EMPTY: "", _under: "u1", N2: "two", PORT: "8801", NESTED: "${NAME}" }
const expand = (text: string): unknown => expandEnvironment(text, environment).value

describe("grammar", () => {
  test.each([
    ["plain", "plain"],
    ["${NAME}", "value"],
    ["$NAME", "value"],
    ["a-${NAME}-b", "a-value-b"],
    ["$NAME/$N2", "value/two"],
    ["$_under", "u1"],
    ["${EMPTY}", ""],
    ["${UNSET}", ""],
    ["$UNSET", ""],
    ["${UNSET:-default}", "default"],
    ["${EMPTY:-default}", "default"],
    ["${NAME:-default}", "value"],
    ["${UNSET-default}", "default"],
    ["${EMPTY-default}", ""],
    ["${NAME-default}", "value"],
    ["${UNSET:-}", ""],
    ["${UNSET:-a:-b}", "a:-b"],
    ["${UNSET:-http://x/y?z=1}", "http://x/y?z=1"],
    ["$$NAME", "$NAME"],
    ["$$$NAME", "$value"],
    ["$$$$", "$$"],
    ["${NAME", "${NAME"],
    ["${}", "${}"],
    ["${1ABC}", "${1ABC}"],
    ["$1", "$1"],
    ["cost: 5$", "cost: 5$"],
    ["$ NAME", "$ NAME"],
    ["${NA ME}", "${NA ME}"],
    ["${NAME:+other}", "${NAME:+other}"],
    ["^[a-z]+$", "^[a-z]+$"],
  ])("%s → %s", (text, result) => expect(expand(text)).toBe(result))

  test("a value is never expanded again", () => expect(expand("${NESTED}")).toBe("${NAME}"))

  test("names that every object has are not set", () => {
    expect(expandEnvironment("${constructor}$toString${__proto__}", {})).toMatchObject({
      value: "",
      unset: [
        { name: "constructor", path: [] },
        { name: "toString", path: [] },
        { name: "__proto__", path: [] },
      ],
    })
  })
})

test("strings at any depth are expanded, keys and other values are not", () => {
  expect(
    expandEnvironment({ "${NAME}": ["$NAME", 1, true, null, { deep: "${N2}" }], kept: "text" }, environment),
  ).toEqual({
    value: { "${NAME}": ["value", 1, true, null, { deep: "two" }], kept: "text" },
    expandedPaths: new Set([pathKey(["${NAME}", 0]), pathKey(["${NAME}", 4, "deep"])]),
    unset: [],
    unclosed: [],
    replaced: [
      { path: ["${NAME}", 0], value: "value", written: "$NAME" },
      { path: ["${NAME}", 4, "deep"], value: "two", written: "${N2}" },
    ],
  })
})

test("names without value and default are reported with their place, once for each use", () => {
  expect(expandEnvironment({ a: ["$ONE ${TWO}", "${THREE:-x}"], b: "$ONE" }, {}).unset).toEqual([
    { name: "ONE", path: ["a", 0] },
    { name: "TWO", path: ["a", 0] },
    { name: "ONE", path: ["b"] },
  ])
})

test("an escaped dollar counts as expanded text only because the text changed", () => {
  expect(expandEnvironment({ a: "$$", b: "$" }, {}).expandedPaths).toEqual(new Set(["a"]))
})

test("names behind a brace that nothing closes are told, and their text stays", () => {
  const texts = ["${NAME", "a ${ONE} b ${TWO:-x", "$${KEPT", "${}", "${1ABC", "^${ONE}$"]
  const { value, unclosed } = expandEnvironment(texts, { ONE: "1" })
  expect(value).toEqual(["${NAME", "a 1 b ${TWO:-x", "${KEPT", "${}", "${1ABC", "^1$"])
  expect(unclosed).toEqual([
    { name: "NAME", path: [0] },
    { name: "TWO", path: [1] },
  ])
})
