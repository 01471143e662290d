// What clients ask and models answer, from the vendors' documentation and the types of their clients.

import { type Asked, call, image, type Part, result, type Said, text, turn, type Usage } from "./conversation.ts"

export interface Conversation {
  readonly name: string
  readonly asked: Asked
  readonly said: Said
  /** Clients whose protocol can ask this; all when left out. */
  readonly clients?: readonly string[]
  /** What a backend hears that is not what the client asked, by `client>backend` or `>backend`. */
  readonly heard?: Readonly<Record<string, Partial<Asked> & { readonly [field: string]: unknown }>>
  /** What the message of the refusal says, by `client>backend` or `>backend`. */
  readonly refused?: Readonly<Record<string, string>>
}

const usage: Usage = { input: 20, output: 7, cached: 0, written: 0, reasoning: 0 }
const say = (parts: readonly Part[], more: Partial<Said> = {}): Said => ({ parts, stop: "end", usage, ...more })
const hello = say([text("Hello there.")])
const hi = turn("user", "hi")
const ask = (more: Partial<Asked> = {}): Asked => ({ turns: [hi], limit: 100, ...more })
const turns = (...given: Asked["turns"]): Asked => ask({ turns: given })

const png = "data:image/png;base64,iVBORw0KGgo="
const pdf: Part = { kind: "pdf", data: "JVBERi0xLjQ=", name: "a.pdf" }
const weather = {
  name: "weather",
  description: "tells it",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}
const clock = { name: "clock", schema: { type: "object", properties: {} } }
const rome = call("call_1", "weather", { city: "Rome" })
const oslo = call("call_2", "weather", { city: "Oslo" })
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
}
const calls = (...parts: readonly Part[]): Said => say(parts, { stop: "calls" })
const thinking = { ...usage, reasoning: 5 }
/** A limit that leaves room for every budget, and with which the vendor's client does not insist on a stream. */
const roomy = 21_000

/** Those of Messages need one. */
const withoutLimits = ["chat_completions", "responses"]

export const conversations: readonly Conversation[] = [
  { name: "a text", asked: ask(), said: hello },
  { name: "a text without a limit", asked: { turns: [hi] }, said: hello, clients: withoutLimits },
  {
    name: "texts of many scripts",
    asked: turns(turn("user", '漢字 👩‍👩‍👧 \u0627\u0644 "quoted" \\ \t\n\n data: [DONE]\n\n')),
    said: say([text('日本語 👩‍👩‍👧 é\n\nevent: message_stop\ndata: [DONE]\n\n{"error":{}}')]),
  },
  { name: "a long text", asked: turns(turn("user", "word ".repeat(20_000))), said: say([text("word ".repeat(5000))]) },
  {
    name: "several turns",
    asked: turns(turn("user", "My name is Ann."), turn("assistant", "Hello Ann."), turn("user", "Who am I?")),
    said: say([text("Ann.")]),
  },
  { name: "instructions", asked: turns(turn("system", "Be short."), hi), said: hello },
  { name: "two instructions in front", asked: turns(turn("system", "Be short.", "Be kind."), hi), said: hello },
  {
    name: "instructions in several places",
    asked: turns(
      turn("system", "Be short."),
      hi,
      turn("assistant", "Hello."),
      turn("system", "Now be long."),
      turn("user", "Go on"),
    ),
    said: hello,
  },
  { name: "several texts in one message", asked: turns(turn("user", "one", "two", "three")), said: hello },
  {
    name: "an image by its address",
    asked: turns(turn("user", "look", image("https://a.example/i.png"))),
    said: hello,
  },
  { name: "an image in place", asked: turns(turn("user", "look", image(png))), said: hello },
  {
    name: "images between texts",
    asked: turns(turn("user", image(png), "and", image("https://a.example/i.png"), "differ how?")),
    said: hello,
  },
  { name: "a PDF", asked: turns(turn("user", "sum it up", pdf)), said: hello },
  {
    name: "audio",
    asked: turns(turn("user", "listen", { kind: "audio", data: "UklGRg==" })),
    said: hello,
    clients: ["chat_completions", "responses"],
    refused: { ">messages": 'is of type "audio"' },
  },
  { name: "tools that are not used", asked: ask({ tools: [weather, clock] }), said: hello },
  { name: "a call", asked: ask({ tools: [weather] }), said: calls(rome) },
  { name: "a text and a call", asked: ask({ tools: [weather] }), said: calls(text("I look."), rome) },
  { name: "parallel calls", asked: ask({ tools: [weather] }), said: calls(rome, oslo) },
  { name: "a call without arguments", asked: ask({ tools: [clock] }), said: calls(call("call_1", "clock", {})) },
  {
    name: "a call with deep arguments",
    asked: ask({ tools: [weather] }),
    said: calls(call("call_1", "weather", { city: 'Zürich "A"', more: [1.5, null, { a: [true] }], "": "漢" })),
  },
  {
    name: "a result",
    asked: ask({
      tools: [weather],
      turns: [hi, turn("assistant", rome), turn("tool", result("call_1", text("sunny")))],
    }),
    said: hello,
  },
  {
    name: "parallel results",
    asked: ask({
      tools: [weather],
      turns: [
        hi,
        turn("assistant", "I look.", rome, oslo),
        turn("tool", result("call_1", text("sunny")), result("call_2", text("cold"))),
      ],
    }),
    said: hello,
  },
  {
    name: "a result that failed",
    asked: ask({
      tools: [weather],
      turns: [
        hi,
        turn("assistant", rome),
        turn("tool", { kind: "result", id: "call_1", parts: [text("no such city")], failed: true }),
      ],
    }),
    said: hello,
  },
  {
    name: "a result with an image",
    asked: ask({
      tools: [weather],
      turns: [hi, turn("assistant", rome), turn("tool", result("call_1", text("a map"), image(png)))],
    }),
    said: hello,
  },
  {
    name: "an empty result",
    asked: ask({ tools: [weather], turns: [hi, turn("assistant", rome), turn("tool", result("call_1"))] }),
    said: hello,
  },
  {
    name: "a result and a text behind it",
    asked: ask({
      tools: [weather],
      turns: [
        hi,
        turn("assistant", rome),
        turn("tool", result("call_1", text("sunny"))),
        turn("user", "and tomorrow?"),
      ],
    }),
    said: hello,
  },
  {
    name: "calls in two rounds",
    asked: ask({
      tools: [weather],
      turns: [
        hi,
        turn("assistant", rome),
        turn("tool", result("call_1", text("sunny"))),
        turn("assistant", "And Oslo.", oslo),
        turn("tool", result("call_2", text("cold"))),
      ],
    }),
    said: hello,
  },
  { name: "a tool left to the model", asked: ask({ tools: [weather], choice: "auto" }), said: hello },
  { name: "no tool may be used", asked: ask({ tools: [weather], choice: "none" }), said: hello },
  { name: "some tool must be used", asked: ask({ tools: [weather, clock], choice: "required" }), said: calls(rome) },
  { name: "one tool must be used", asked: ask({ tools: [weather], choice: { name: "weather" } }), said: calls(rome) },
  { name: "one call at a time", asked: ask({ tools: [weather], choice: "auto", single: true }), said: calls(rome) },
  { name: "sampling", asked: ask({ temperature: 0.5, topP: 0.25 }), said: hello },
  {
    name: "a temperature above the vendor's highest",
    asked: ask({ temperature: 1.75 }),
    said: hello,
    clients: ["chat_completions", "responses"],
    heard: { ">messages": { temperature: 1 } },
  },
  {
    name: "the most likely tokens alone",
    asked: ask({ topK: 40 }),
    said: hello,
    clients: ["chat_completions", "messages"],
  },
  { name: "a seed", asked: ask({ seed: 7 }), said: hello, clients: ["chat_completions"] },
  {
    name: "words that end the reply",
    asked: ask({ stop: ["X", "END"] }),
    said: say([text("Hello")], { stop: "sequence" }),
    clients: ["chat_completions", "messages"],
    refused: { ">responses": "has no counterpart" },
  },
  { name: "a user", asked: ask({ user: "user-1" }), said: hello },
  { name: "structured output", asked: ask({ schema }), said: say([text('{"city":"Rome"}')]) },
  {
    name: "structured output beside tools",
    asked: ask({ schema, tools: [weather], choice: "auto" }),
    said: calls(rome),
  },
  ...(["low", "medium", "high"] as const).map((effort) => ({
    name: `${effort} effort`,
    asked: ask({ effort, limit: roomy }),
    said: say([{ kind: "thought", text: "Let me think.", proof: "c2lnbmF0dXJl" }, text("Done.")], { usage: thinking }),
  })),
  {
    name: "effort without a limit",
    asked: { turns: [hi], effort: "low" },
    clients: withoutLimits,
    said: say([{ kind: "thought", text: "Hm.", proof: "c2ln" }, text("Done.")], { usage: thinking }),
  },
  {
    name: "thought before a call",
    asked: ask({ tools: [weather], effort: "low", limit: roomy }),
    said: { ...calls({ kind: "thought", text: "I need it.", proof: "c2ln" }, rome), usage: thinking },
  },
  {
    name: "thoughts in the conversation",
    asked: ask({
      turns: [hi, turn("assistant", { kind: "thought", text: "Hm.", proof: "c2ln" }, "Hello."), turn("user", "Go on")],
    }),
    said: hello,
  },
  {
    name: "hidden thoughts in the conversation",
    asked: ask({
      turns: [hi, turn("assistant", { kind: "thought", text: "", proof: "aGlkZGVu" }, "Hello."), turn("user", "Go on")],
    }),
    said: hello,
    clients: ["messages", "responses"],
  },
  {
    name: "hidden thoughts",
    asked: ask({ effort: "low", limit: roomy }),
    said: say([{ kind: "thought", text: "", proof: "aGlkZGVu" }, text("Done.")], { usage: thinking }),
  },
  { name: "a refusal", asked: ask(), said: say([{ kind: "refusal", text: "I cannot help." }]) },
  {
    name: "a text that breaks off into a refusal",
    asked: ask(),
    said: say([text("Well. "), { kind: "refusal", text: "No." }]),
  },
  {
    name: "a refusal in the conversation",
    asked: turns(hi, turn("assistant", { kind: "refusal", text: "I cannot help." }), turn("user", "why?")),
    said: hello,
  },
  { name: "a reply that a limit ended", asked: ask({ limit: 5 }), said: say([text("It is sun")], { stop: "limit" }) },
  { name: "a reply that a filter ended", asked: ask(), said: say([text("It is")], { stop: "filtered" }) },
  { name: "a reply that the model refused to finish", asked: ask(), said: say([text("It is")], { stop: "refused" }) },
  { name: "a reply that was paused", asked: ask(), said: say([text("I go on.")], { stop: "paused" }) },
  {
    name: "a call that a limit cut",
    asked: ask({ tools: [weather] }),
    said: say([text("I look."), rome], { stop: "limit" }),
  },
  {
    name: "several texts",
    asked: ask(),
    said: say([text("One. "), text("Two. "), text("Three.")]),
  },
  {
    name: "thoughts between texts",
    asked: ask({ effort: "low", limit: roomy }),
    said: say(
      [
        { kind: "thought", text: "First.", proof: "YQ==" },
        text("One. "),
        { kind: "thought", text: "Second.", proof: "Yg==" },
        text("Two."),
      ],
      { usage: thinking },
    ),
  },
  {
    name: "a text behind a call",
    asked: ask({ tools: [weather] }),
    said: calls(text("I look. "), rome, text("Wait for it."), oslo),
  },
  { name: "a reply without words", asked: ask(), said: say([]) },
  {
    name: "log probabilities",
    asked: ask({ tokens: true }),
    said: say([text("Hi there")], {
      tokens: [
        ["Hi", -0.25],
        [" there", -0.5],
      ],
    }),
    clients: ["chat_completions", "responses"],
    refused: { ">messages": "logprobs is true" },
  },
  { name: "tokens from the cache", asked: ask(), said: { ...hello, usage: { ...usage, cached: 8 } } },
  { name: "tokens into the cache", asked: ask(), said: { ...hello, usage: { ...usage, cached: 3, written: 4 } } },
  { name: "tokens of thought", asked: ask(), said: { ...hello, usage: { ...usage, reasoning: 6 } } },
]
