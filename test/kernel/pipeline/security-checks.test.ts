import type { Block, Turn } from "rtr"
import { textTurn } from "rtr/testing"
import { expect, test } from "vitest"
import { securityChecks } from "../../../ts/kernel/pipeline/security-checks.ts"
import type { Facts } from "../../../ts/kernel/types/call.ts"
import type { FactState } from "../../../ts/kernel/types/fact.ts"
import { strictPolicy } from "../../../ts/kernel/types/guard.ts"
import { createPlannedSignal } from "../../fakes/planned-signal.ts"
import { inputOf, user } from "../../fakes/signal-input.ts"

const signals = [
  createPlannedSignal("topic"),
  createPlannedSignal("attack", { guard: [strictPolicy, strictPolicy], rules: ["a", "b"], firstSlot: 1 }),
  createPlannedSignal("secret", { guard: [strictPolicy], firstSlot: 3 }),
]
const facts = (...states: readonly FactState[]): Facts =>
  states.map((state) => ({ rule: "rule", state, confidence: state === "match" ? 1 : 0 }))
const checksOf = (states: readonly FactState[], ...turns: readonly Turn[]) =>
  securityChecks(signals, facts(...states), inputOf(turns))
const nothing = ["match", "no_match", "no_match", "no_match"] as const

test("each guard says whether it found something, and nothing when it could not read", () => {
  const cases: readonly (readonly [states: readonly FactState[], checks: object | undefined])[] = [
    [nothing, { attack: false, secret: false }],
    [["no_match", "no_match", "match", "no_match"], { attack: true, secret: false }],
    [["match", "unknown", "match", "match"], { attack: true, secret: true }],
    [["match", "no_match", "unknown", "no_match"], { secret: false }],
    [["match"], undefined],
    [["match", "unknown", "unknown", "unknown"], undefined],
  ]
  for (const [states, checks] of cases) expect([states, checksOf(states, user("hello"))]).toEqual([states, checks])
})

test("a plan without guards has no checks", () => {
  expect(securityChecks(signals.slice(0, 1), facts("match"), inputOf([user("hello")]))).toBeUndefined()
})

test("of a request without text, nobody says that it is safe", () => {
  for (const text of ["", " \n"]) {
    expect(checksOf(nothing, user(text))).toBeUndefined()
    expect(checksOf(["match", "match", "no_match", "no_match"], user(text))).toEqual({ attack: true })
  }
  expect(checksOf(nothing, textTurn("system", "hello"))).toEqual({ attack: false, secret: false })
})

test("of a request of which a rule reads the last user turn only, nobody says that the rest is safe", () => {
  const lastTurn = { ...strictPolicy, readsEverything: false }
  const partly = signals.map((signal) =>
    signal.type === "secret" ? createPlannedSignal("secret", { guard: [lastTurn], firstSlot: 3 }) : signal,
  )
  const checks = (...turns: readonly Turn[]) => securityChecks(partly, facts(...nothing), inputOf(turns))
  expect(checks(user("hello"))).toEqual({ attack: false, secret: false })
  expect(checks(user("before"), user("hello"))).toEqual({ attack: false })
})

test("of a conversation with blocks that are no text, nobody says that it is safe", () => {
  const text: Block = { type: "text", text: "hello" }
  const source = { kind: "id", id: "x" } as const
  const call: Block = { type: "tool_call", id: "1", name: "f", arguments: "{}" }
  const resultOf = (...blocks: readonly Block[]): Block => ({ type: "tool_result", callId: "1", blocks })
  const readable: readonly Block[] = [
    text,
    call,
    resultOf(text),
    { type: "reasoning", text: "hm" },
    { type: "refusal", text: "no" },
    { type: "opaque", dialect: "x", value: {}, text: "x" },
  ]
  const unreadable: readonly Block[] = [
    { type: "image", source },
    { type: "file", source },
    { type: "audio", source },
    { type: "opaque", dialect: "x", value: {} },
    { type: "reasoning", text: "hm", encrypted: "abc" },
    resultOf(text, { type: "image", source }),
  ]
  for (const [blocks, checks] of [
    [readable, { attack: false, secret: false }],
    [unreadable, undefined],
  ] as const)
    for (const block of blocks) {
      expect([block, checksOf(nothing, { role: "user", blocks: [text, block] })]).toEqual([block, checks])
      expect([block, checksOf(nothing, { role: "assistant", blocks: [block] }, user("hello"))]).toEqual([block, checks])
    }
})
