import { expect, test } from "vitest"
import { parseJson } from "../../../ts/kernel/http/json.ts"

/** The reason of a refusal. */
function refusalOf(body: string): string | undefined {
  try {
    parseJson(body)
    return undefined
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return code === "invalid_request" ? message.replace(/^Cannot read the request: /, "") : `${code}: ${message}`
  }
}
const nested = (depth: number): string => `{"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
const deep = "the body is nested deeper than 128 levels"
const invalid = "the body is not valid JSON"

test.each<[string, string, string | undefined]>([
  ["valid JSON", '{"a":[1,"x"]}', undefined],
  ["nothing", "", invalid],
  ["a half object", "{", invalid],
  // A refusal holds no word of the text.
  ["text", "my secret prompt", invalid],
  ["text in an object", '{"messages": my secret prompt}', invalid],
  ["128 levels", nested(128), undefined],
  ["129 levels", nested(129), deep],
  ["lists without end", "[".repeat(5000), deep],
  ["objects without end", '{"a":'.repeat(1000), deep],
  ["brackets in texts", JSON.stringify({ x: `${"[{".repeat(500)}\\"[[[" \\\\` }), undefined],
  ["siblings", JSON.stringify(Array.from({ length: 1000 }, () => [[[]]])), undefined],
])("%s", (_, body, reason) => expect(refusalOf(body)).toBe(reason))

test("the value is what the text says", () => expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] }))

test("numbers that a double cannot hold keep their digits, others are numbers", () => {
  const body =
    '{"seed":9223372036854775807,"t":0.1234567890123456789,"big":1e400,"n":3,"text":"9223372036854775807","f":1.0}'
  expect(JSON.stringify(parseJson(body))).toBe(
    '{"seed":9223372036854775807,"t":0.1234567890123456789,"big":1e400,"n":3,"text":"9223372036854775807","f":1}',
  )
  expect(parseJson('{"n":1234567890123456,"f":1.5}')).toEqual({ n: 1234567890123456, f: 1.5 })
})
