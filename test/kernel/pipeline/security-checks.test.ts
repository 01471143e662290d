import { expect, test } from "vitest"
import { securityChecks } from "../../../ts/kernel/pipeline/security-checks.ts"
import { toSignalInput } from "../../../ts/kernel/pipeline/input.ts"
import type { Facts } from "../../../ts/kernel/types/call.ts"
import type { ChatRequest } from "../../../ts/kernel/types/chat.ts"
import { createFamily, match, noMatch, unknown } from "../../fakes/plan.ts"

const inputOf = (content: unknown) =>
  toSignalInput({ model: "MoM", messages: [{ role: "user", content }] } as ChatRequest)

const families = [
  createFamily("keyword"),
  createFamily("jailbreak", { rules: ["a", "b"], firstSlot: 1 }),
  createFamily("pii", { firstSlot: 3 }),
]

test.each<[string, Facts, ReturnType<typeof securityChecks>]>([
  ["both found nothing", [match(), noMatch(), noMatch(), noMatch()], { pii: false, jailbreak: false }],
  ["one rule found something", [noMatch(), noMatch(), match(), noMatch()], { pii: false, jailbreak: true }],
  [
    "one rule found something and another could not read",
    [match(), unknown(), match(), match()],
    { pii: true, jailbreak: true },
  ],
  ["a guard that could not read says nothing", [match(), noMatch(), unknown(), noMatch()], { pii: false }],
  ["a guard without facts says nothing", [match()], undefined],
  ["none could read", [match(), unknown(), unknown(), unknown()], undefined],
])("%s", (_, facts, expected) => expect(securityChecks(families, facts, inputOf("hello"))).toEqual(expected))

test("a plan without guards has no checks", () => {
  expect(securityChecks(families.slice(0, 1), [match()], inputOf("hello"))).toBeUndefined()
})

test.each(["", " \n"])("of the user's text %j, nobody says that it is safe", (text) => {
  expect(securityChecks(families, [match(), noMatch(), noMatch(), noMatch()], inputOf(text))).toBeUndefined()
  expect(securityChecks(families, [match(), match(), noMatch(), noMatch()], inputOf(text))).toEqual({ jailbreak: true })
})

test("of a message with parts that are no text, nobody says that it is safe", () => {
  const text = { type: "text", text: "hello" }
  const found = [match(), noMatch(), noMatch(), noMatch()]
  expect(securityChecks(families, found, inputOf([text, text]))).toEqual({ pii: false, jailbreak: false })
  for (const part of [
    { type: "file", file: {} },
    { type: "image_url", text: "x" },
    { ...text, content: "x" },
  ])
    expect(securityChecks(families, found, inputOf([text, part]))).toBeUndefined()
  const earlier = { role: "user", content: [{ type: "image_url" }] }
  const { text: last, request } = inputOf("hello")
  const input = { text: last, request: { ...request, messages: [earlier, ...request.messages] } as ChatRequest }
  expect(securityChecks(families, found, input)).toBeUndefined()
})
