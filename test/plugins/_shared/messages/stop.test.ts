import { expect, test } from "vitest"
import { readStop, writeStop } from "../../../../ts/plugins/_shared/messages/stop.ts"

test("every reason of the wire has one of the canonical form", () => {
  const cases = [
    [undefined, undefined],
    [null, undefined],
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool_calls"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["x_new", "other"],
  ] as const
  for (const [reason, stop] of cases) expect([reason, readStop(reason)]).toEqual([reason, stop])
})

test("a reason of the canonical form is written with what the reply has in it", () => {
  const nothing = { refused: false, called: false }
  const cases = [
    ["stop", nothing, "end_turn"],
    ["length", { refused: true, called: true }, "max_tokens"],
    ["tool_calls", nothing, "tool_use"],
    ["content_filter", nothing, "refusal"],
    ["refusal", nothing, "refusal"],
    ["pause", nothing, "pause_turn"],
    ["stop", { refused: false, called: true }, "tool_use"],
    ["stop", { refused: true, called: true }, "refusal"],
    ["other", nothing, "end_turn"],
  ] as const
  for (const [stop, contents, reason] of cases)
    expect([stop, contents, writeStop(stop, contents)]).toEqual([stop, contents, reason])
})
