import { describe, expect, test } from "vitest"
import { costOfSmall, JsonScan } from "../../../ts/kernel/http/json-scan.ts"

const encoder = new TextEncoder()

/** Scans a text in pieces of some bytes, whole when left out. */
function scan(text: string, size = Infinity): JsonScan {
  const scanned = new JsonScan()
  const bytes = encoder.encode(text)
  for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length)) scanned.read(bytes.subarray(at, at + size))
  return scanned
}
const refusalOf = (text: string, size?: number): string | undefined => {
  try {
    scan(text, size)
    return undefined
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`
  }
}
const list = (value: string, count: number): string => `[${Array.from({ length: count }, () => value).join(",")}]`
const deep = "invalid_request: Cannot read the request: the body is nested deeper than 128 levels"
const many = (limit: number): string =>
  `invalid_request: Cannot read the request: the body has more than ${limit} brackets, commas and colons outside its texts`

test.each<[string, string, string | undefined]>([
  ["129 levels", `${"[".repeat(129)}${"]".repeat(129)}`, deep],
  ["128 levels", `${"[".repeat(128)}${"]".repeat(128)}`, undefined],
  ["brackets without end", "[".repeat(1000), deep],
  ["150,000 short messages", list('{"role":"user","content":"hi"}', 150_000), many(150_000)],
  ["480,000 empty objects", list("{}", 480_000), many(150_000)],
  ["120,000 numbers", list("1", 120_000), undefined],
  [
    "120,000 numbers, and one that has to be kept as it is",
    list("1", 120_000).replace("1", "1".repeat(20)),
    many(100_000),
  ],
  ["30,000 numbers that have to be kept", list("1".repeat(20), 30_000), many(100_000)],
  ["a thousand fields", JSON.stringify({ ...Array.from({ length: 1000 }, () => ({ a: 1 })) }), undefined],
  [
    "more fields",
    JSON.stringify({ ...Array.from({ length: 1001 }, () => 1) }),
    "invalid_request: Cannot read the request: the body has more than 1000 fields",
  ],
  ["brackets in a text", JSON.stringify(`${"{},[:".repeat(100_000)}\\"[[["`), undefined],
  ["ten million escapes", `"${"\\n".repeat(10_000_000)}"`, many(150_000)],
  ["a large image", JSON.stringify("aB3d".repeat(10_000_000)), undefined],
])("%s", (_, text, refusal) => expect(refusalOf(text)).toBe(refusal))

test("a long conversation of an agent with many tools has room", () => {
  const call = { id: "call_1", type: "function", function: { name: "read", arguments: '{"path":"a","lines":[1,2]}' } }
  const messages = Array.from({ length: 1000 }, () => [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "text" },
  ]).flat()
  const properties = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`field${index}`, { type: "string", description: "What it is" }]),
  )
  const parameters = { type: "object", properties, required: ["field1"], additionalProperties: false }
  const tools = Array.from({ length: 200 }, () => ({
    type: "function",
    function: { name: "t", description: "d", parameters },
  }))
  expect(refusalOf(JSON.stringify({ model: "auto", messages, tools, seed: 1 }))).toBe(undefined)
})

describe("pieces", () => {
  const text = JSON.stringify({ 'k\\"{': ["[,:\\", 12345678901234567890n.toString(), "漢"], n: [1.5, -3e2, { a: {} }] })

  test("may be cut anywhere", () => {
    const whole = scan(text)
    for (const size of [1, 2, 3, 7]) {
      const pieces = scan(text, size)
      expect([pieces.cost, pieces.hasLongNumbers]).toEqual([whole.cost, whole.hasLongNumbers])
    }
  })

  test.each([
    ["1234567890123456789", true],
    ["1e400", true],
    ['{"a":123,"b":[45,"1234567890123456789e5"]}', false],
    ["[true,false,null,123456789012345]", false],
  ])("of %s tell of long numbers", (json, long) => expect(scan(json, 3).hasLongNumbers).toBe(long))
})

describe("the cost", () => {
  test("is in proportion to bytes, and to values", () => {
    expect(scan(JSON.stringify("x".repeat(998))).cost).toBe(3000)
    expect(scan(list("{}", 1000)).cost).toBe(1000 * 2 * 96 + 3001 * 3)
  })

  test("of a text with characters past Latin-1 is twice that", () => {
    expect(scan('{"a":"xé"}').cost).toBe(2 * 96 + 11 * 3)
    expect(scan('{"a":"x漢"}').cost).toBe(2 * 96 + 12 * 6)
    expect(scan('"\\u6f22"').cost).toBe(8 * 6)
  })

  test("of a small body is never less than what a scan would say", () => {
    for (const text of ["1", "{}", list("{}", 50), '{"a":"x漢","b":[1,2,"[[["]}', list('"\\u6f22"', 20)])
      expect(costOfSmall(text)).toBeGreaterThanOrEqual(scan(text).cost)
  })
})
