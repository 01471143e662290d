// Random conversations between every client protocol and every backend protocol, as those of `conversations.ts`.

import { test } from "vitest"
import { list, type Random, createRandom } from "../fakes/random.ts"
import { check, protocols } from "./check.ts"
import { type Asked, call, image, type Part, result, type Said, text, turn, type Turn } from "./conversation.ts"
import type { Conversation } from "./conversations.ts"
import { createProtocolRouter } from "./router.ts"

const texts = [
  "hello",
  " a b ",
  "one\n\ntwo\tthree",
  "漢字 👩‍👩‍👧 e\u0301",
  'q"uote\\ \u2028',
  "data: [DONE]\n\n",
  'event: message_stop\n\n{"type":"response.completed"}',
  '"error":{"message":"no"}',
] as const

const say = (random: Random): Part => text(random.pick(texts))
const input = (random: Random): object =>
  random.pick<object>([{}, { a: random.pick(texts) }, { deep: [{ "": null, n: 1.5, yes: true }] }])

function userParts(random: Random): readonly Part[] {
  const media = (): Part =>
    random.pick<Part>([
      say(random),
      image("https://a.example/i.png?a=b&c=%20"),
      image("data:image/jpeg;base64,/9j/4A=="),
      { kind: "pdf", data: "JVBERi0=", name: "ä b.pdf" },
    ])
  return [say(random), ...list(random.below(3), media)]
}

/** Turns of user and assistant; calls are answered at once. */
function turns(random: Random): readonly Turn[] {
  const found: Turn[] = random.chance(0.5) ? [turn("system", ...list(1 + random.below(2), () => say(random)))] : []
  let calls = 0
  for (let left = random.below(4); left > 0; left--) {
    found.push({ role: "user", parts: userParts(random) })
    const own = list(random.below(3), () => call(`call_${calls++}`, random.pick(["f", "g_2"]), input(random)))
    found.push({ role: "assistant", parts: [...(own.length === 0 || random.chance(0.5) ? [say(random)] : []), ...own] })
    const results = own.flatMap((part) =>
      part.kind === "call" ? [result(part.id, ...list(random.below(3), () => say(random)))] : [],
    )
    if (results.length > 0) found.push({ role: "tool", parts: results })
  }
  return [...found, { role: "user", parts: userParts(random) }]
}

function asked(random: Random): Asked {
  const schema = { type: "object", properties: { a: { type: "string", description: random.pick(texts) } } }
  const tools = list(random.below(3), (index) => ({ name: `t${index}`, description: random.pick(texts), schema }))
  return {
    turns: turns(random),
    limit: 10 + random.below(1000),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 &&
      random.chance(0.5) && { choice: random.pick(["auto", "none", "required", { name: "t0" }]) }),
    ...(random.chance(0.3) && { temperature: random.below(100) / 100 }),
    ...(random.chance(0.3) && { topP: random.below(100) / 100 }),
    ...(random.chance(0.3) && { user: "user-1" }),
  }
}

function said(random: Random): Said {
  const calls = list(random.below(3), (index) => call(`call_${index}`, "t0", input(random)))
  return {
    parts: [
      ...(random.chance(0.4) ? [{ kind: "thought" as const, text: random.pick(texts), proof: "c2ln" }] : []),
      ...list(random.below(3), () => say(random)),
      ...calls,
    ],
    stop: random.chance(0.2) ? "limit" : calls.length > 0 ? "calls" : random.pick(["end", "filtered"]),
    usage: {
      input: 20 + random.below(100),
      output: random.below(100),
      cached: random.below(10),
      written: random.below(10),
      reasoning: random.below(10),
    },
  }
}

for (const client of protocols)
  for (const backend of protocols)
    for (const mode of ["json", "stream"] as const)
      test(`a client of ${client.protocol} and a backend of ${backend.protocol}, ${mode}`, async () => {
        const random = createRandom(31)
        const router = await createProtocolRouter()
        for (let round = 0; round < 40; round++) {
          const conversation: Conversation = { name: `round ${round}`, asked: asked(random), said: said(random) }
          await check(conversation, { router, client, backend, mode })
        }
      })
