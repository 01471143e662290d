import { expect, test } from "vitest"
import { watchedKernel } from "../../../fakes/watched-kernel.ts"
import { completion, createFakeTransport, jsonReply } from "../../../fakes/transport.ts"

const claude = { provider: "anthropic", base_url: "https://messages.example", api_key: "k" }
const local = { endpoint: "chat.example:8000" }
const said = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
}

/** A router whose model `large` is a Claude, and that goes on with `small` where it fails. */
const ask = async (fields: object, { model = "large", isDown = false, fallback = {} } = {}) => {
  const { ask: send, records } = await watchedKernel({
    transport: createFakeTransport(({ url }) => {
      if (!url.includes("messages.example")) return jsonReply(completion("hi"))
      return isDown ? { status: 503, body: "{}" } : jsonReply(said)
    }),
    changes: {
      "providers.models": [
        { name: "small", backend_refs: [local] },
        { name: "large", backend_refs: [claude] },
      ],
      ...fallback,
    },
  })
  const { status, headers } = await send("this is urgent", { model, ...fields })
  return {
    status,
    header: headers.get("x-rtr-dropped-fields"),
    attempts: records[0]?.attempts.map((each) => each.dropped),
  }
}

test("the header and the record name what a backend of another protocol does not get", async () => {
  expect(await ask({ seed: 1, temperature: 0.5, logit_bias: { 1: 2 } })).toEqual({
    status: 200,
    header: "seed, logit_bias",
    attempts: [["seed", "logit_bias"]],
  })
  expect(await ask({ temperature: 0.5 })).toEqual({ status: 200, header: null, attempts: [undefined] })
})

test("a backend of the client's protocol gets every field", async () => {
  expect(await ask({ seed: 1, x_own: 1 }, { model: "small" })).toEqual({
    status: 200,
    header: null,
    attempts: [undefined],
  })
})

test("names that clients make up are few, short and of plain letters; others are counted", async () => {
  const names = ["x-own.1", "a b", "a\r\nb: c", "ä", "", "a,b", "x".repeat(65), "y".repeat(64)]
  const fields = Object.fromEntries(names.map((name) => [name, 1]))
  expect((await ask(fields)).header).toBe(`x-own.1, ${"y".repeat(64)}, +6`)
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`x${index}`, 1]))
  const header = (await ask(many)).header?.split(", ")
  expect([header?.length, header?.[0], header?.at(-1)]).toEqual([21, "x0", "+10"])
})

test("after a fallback the header tells of the backend that answered", async () => {
  const fallback = {
    "routing.fallback": { enabled: true },
    "routing.decisions.0.modelRefs": [{ model: "large" }, { model: "small" }],
  }
  expect(await ask({ seed: 1 }, { model: "MoM", fallback })).toMatchObject({ header: "seed", attempts: [["seed"]] })
  expect(await ask({ seed: 1 }, { model: "MoM", fallback, isDown: true })).toEqual({
    status: 200,
    header: null,
    attempts: [["seed"], undefined],
  })
})
