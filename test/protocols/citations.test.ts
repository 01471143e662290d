// What a text rests on, between every client protocol and every backend protocol, seen through the vendors' own clients.

import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { expect, test } from "vitest"
import { namedEvent } from "../fakes/event-stream.ts"
import type { Protocol } from "./conversation.ts"
import { createProtocolRouter, modelOf, type ProtocolRouter } from "./router.ts"

type Mode = "json" | "stream"

/** A page and the words that rest on it. */
interface Cited {
  readonly url: string
  readonly title: string
  readonly words: string
}

/** What a model said, piece by piece. Characters outside the basic plane show how places are counted. */
const said: readonly (readonly [words: string, page?: Omit<Cited, "words">])[] = [
  ["By 🌍 news, "],
  ["the sky 🟦 is blue", { url: "https://a.example/sky?q=1", title: "Sky 漢" }],
  [" and "],
  ["grass is green", { url: "https://b.example/grass", title: "Grass" }],
  [", they say."],
]
const text = said.map(([words]) => words).join("")
const cited: readonly Cited[] = said.flatMap(([words, page]) => (page === undefined ? [] : [{ ...page, words }]))
const places = cited.map((each) => {
  const start = Array.from(text.slice(0, text.indexOf(each.words))).length
  return { ...each, start, end: start + Array.from(each.words).length }
})
const at = ({ url, title, start, end }: (typeof places)[number]) => ({ start_index: start, end_index: end, url, title })
const sliceOf = (whole: string, { start_index: from, end_index: to }: { start_index: number; end_index: number }) =>
  Array.from(whole).slice(from, to).join("")

const events = (...all: readonly object[]): string => all.map((event) => namedEvent(event as { type: string })).join("")

/** A reply of each vendor's backend, whole and streamed. */
const replies: Readonly<Record<Protocol, Readonly<Record<Mode, string>>>> = {
  chat_completions: (() => {
    const annotations = places.map((place) => ({ type: "url_citation", url_citation: at(place) }))
    const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "m" }
    const chunk = (delta: object, reason: string | null = null): string =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
    return {
      json: JSON.stringify({
        ...head,
        object: "chat.completion",
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: text, refusal: null, annotations },
            finish_reason: "stop",
          },
        ],
      }),
      stream: `${chunk({ role: "assistant", content: "" })}${said.map(([words]) => chunk({ content: words })).join("")}${chunk({ annotations })}${chunk({}, "stop")}data: [DONE]\n\n`,
    }
  })(),
  responses: (() => {
    const annotations = places.map((place) => ({ type: "url_citation", ...at(place) }))
    const part = { type: "output_text", text, annotations, logprobs: [] }
    const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] }
    const response = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "m",
      status: "completed",
      output: [item],
    }
    const here = { item_id: "msg_1", output_index: 0, content_index: 0 }
    return {
      json: JSON.stringify(response),
      stream: events(
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item: { ...item, content: [], status: "in_progress" } },
        { type: "response.content_part.added", ...here, part: { ...part, text: "", annotations: [] } },
        ...said.flatMap(([words, page]) => [
          { type: "response.output_text.delta", ...here, delta: words, logprobs: [] },
          ...annotations
            .filter(({ url }) => url === page?.url)
            .map((annotation) => ({
              type: "response.output_text.annotation.added",
              ...here,
              annotation_index: annotations.indexOf(annotation),
              annotation,
            })),
        ]),
        { type: "response.output_text.done", ...here, text, logprobs: [] },
        { type: "response.content_part.done", ...here, part },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response },
      ),
    }
  })(),
  messages: (() => {
    const location = (page: Omit<Cited, "words">): object => ({
      type: "web_search_result_location",
      cited_text: "it is written",
      encrypted_index: "c2Vj",
      ...page,
    })
    const content = said.map(([words, page]) => ({
      type: "text",
      text: words,
      citations: page === undefined ? null : [location(page)],
    }))
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" }
    const usage = { input_tokens: 1, output_tokens: 1 }
    return {
      json: JSON.stringify({ ...message, content, stop_sequence: null, usage }),
      stream: events(
        { type: "message_start", message: { ...message, stop_reason: null, content: [], usage } },
        ...said.flatMap(([words, page], index) => [
          { type: "content_block_start", index, content_block: { type: "text", text: "", citations: page && [] } },
          ...(page === undefined
            ? []
            : [{ type: "content_block_delta", index, delta: { type: "citations_delta", citation: location(page) } }]),
          { type: "content_block_delta", index, delta: { type: "text_delta", text: words } },
          { type: "content_block_stop", index },
        ]),
        { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
        { type: "message_stop" },
      ),
    }
  })(),
}

interface Seen {
  readonly text: string
  readonly cited: readonly Cited[]
  /** What the client adds to the conversation of its next request. */
  readonly back: readonly object[]
}

/** What the vendor's own client has of a reply. */
const clients: Readonly<Record<Protocol, (router: ProtocolRouter, model: string, mode: Mode) => Promise<Seen>>> = {
  async chat_completions({ fetch }, model, mode) {
    const { completions } = new OpenAI({ baseURL: "http://rtr.example/v1", apiKey: "k", maxRetries: 0, fetch }).chat
    const body = { model, messages: [{ role: "user" as const, content: "hi" }] }
    type Annotations = OpenAI.ChatCompletionMessage.Annotation[] | undefined
    let content: string
    let annotations: Annotations
    if (mode === "json") {
      const { message } = (await completions.create(body)).choices[0] as OpenAI.ChatCompletion.Choice
      content = message.content ?? ""
      annotations = message.annotations
    } else {
      content = ""
      for await (const { choices } of await completions.create({ ...body, stream: true })) {
        const delta = (choices[0]?.delta ?? {}) as { content?: string; annotations?: Annotations }
        content += delta.content ?? ""
        annotations = [...(annotations ?? []), ...(delta.annotations ?? [])]
      }
    }
    return {
      text: content,
      cited: (annotations ?? []).map(({ url_citation: page }) => ({
        url: page.url,
        title: page.title,
        words: sliceOf(content, page),
      })),
      back: [{ role: "assistant", content, annotations }],
    }
  },
  async responses({ fetch }, model, mode) {
    const openai = new OpenAI({ baseURL: "http://rtr.example/v1", apiKey: "k", maxRetries: 0, fetch })
    const body = { model, input: "hi" }
    let added = 0
    let response: OpenAI.Responses.Response
    if (mode === "json") response = await openai.responses.create(body)
    else {
      const stream = openai.responses.stream(body)
      stream.on("response.output_text.annotation.added", () => (added += 1))
      response = await stream.finalResponse()
    }
    const parts = response.output
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .filter((part) => part.type === "output_text")
    const found = parts.flatMap((part) =>
      part.annotations.flatMap((each) =>
        each.type === "url_citation" ? [{ url: each.url, title: each.title, words: sliceOf(part.text, each) }] : [],
      ),
    )
    if (mode === "stream" && added !== found.length) throw new Error(`${added} annotations came in the stream`)
    return { text: response.output_text, cited: found, back: response.output }
  },
  async messages({ fetch }, model, mode) {
    const anthropic = new Anthropic({ baseURL: "http://rtr.example", apiKey: "k", maxRetries: 0, fetch })
    const body = { model, max_tokens: 100, messages: [{ role: "user" as const, content: "hi" }] }
    const { content } =
      mode === "json" ? await anthropic.messages.create(body) : await anthropic.messages.stream(body).finalMessage()
    const blocks = content.filter((block) => block.type === "text")
    return {
      text: blocks.map((block) => block.text).join(""),
      cited: blocks.flatMap((block) =>
        (block.citations ?? []).map((each) => {
          if (each.type !== "web_search_result_location") throw new Error(`A citation of type ${each.type}`)
          return { url: each.url, title: each.title ?? "", words: block.text }
        }),
      ),
      back: [{ role: "assistant", content }],
    }
  },
}

const protocols = Object.keys(clients) as readonly Protocol[]

/** Where places in a text come when it has been said, citations are about what was said since the last ones. */
function saidInStream(backend: Protocol): readonly Cited[] {
  const [first, second] = cited as readonly [Cited, Cited]
  if (backend === "chat_completions") return cited.map((each) => ({ ...each, words: text }))
  return [
    { ...first, words: "By 🌍 news, the sky 🟦 is blue" },
    { ...second, words: " and grass is green" },
  ]
}

for (const client of protocols)
  for (const backend of protocols)
    for (const mode of ["json", "stream"] as const)
      test(`pages that a backend of ${backend} cites, for a client of ${client}, ${mode}`, async () => {
        const router = await createProtocolRouter()
        const reply = replies[backend][mode]
        router.answer(mode === "json" ? { json: reply } : { stream: reply })
        const seen = await clients[client](router, modelOf(backend), mode)
        const isLate = client === "messages" && backend !== "messages" && mode === "stream"
        expect({ text: seen.text, cited: seen.cited }).toEqual({ text, cited: isLate ? saidInStream(backend) : cited })
        const own = client === backend ? router.last.replied.replace(/,"routing_metadata":\{.*\}\}$/, "}") : reply
        expect(own).toBe(reply)

        // The client goes on, with whichever backend.
        const field = client === "responses" ? "input" : "messages"
        for (const next of protocols) {
          router.answer({ json: replies[next].json })
          const user = { role: "user", content: "hi" }
          const body = { model: modelOf(next), max_tokens: 100, [field]: [user, ...seen.back, user] }
          const path = { chat_completions: "chat/completions", messages: "messages", responses: "responses" }[client]
          const { status } = await router.fetch(`http://rtr.example/v1/${path}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(client === "responses" ? { model: body.model, input: body["input"] } : body),
          })
          const asked = JSON.parse(router.last.asked ?? "{}") as Record<string, readonly object[]>
          const heard = JSON.stringify((asked["messages"] ?? asked["input"])?.slice(1, -1))
          expect([next, status, Array.from(heard.matchAll(/https:\/\/[^"]*/g), String)]).toEqual([
            next,
            200,
            holdsCitations({ client, first: backend, next }) ? cited.map(({ url }) => url) : [],
          ])
        }
      })

/** Requests of chat completions have no citations, and Messages takes only what its own backends have proved. */
function holdsCitations({ client, first, next }: { client: Protocol; first: Protocol; next: Protocol }): boolean {
  if (next === "responses") return true
  return next === client && (next === "chat_completions" || first === "messages")
}

test("documents that Messages cites are files in Responses; files have no place in other protocols", async () => {
  const router = await createProtocolRouter()
  const document = { cited_text: "w", document_index: 0, document_title: "a.pdf", file_id: "file_1" }
  const content = [
    {
      type: "text",
      text: "one",
      citations: [
        { type: "char_location", ...document, start_char_index: 0, end_char_index: 1 },
        { type: "page_location", ...document, file_id: null, start_page_number: 1, end_page_number: 2 },
        { type: "content_block_location", ...document, document_title: null, file_id: null },
        { type: "search_result_location", cited_text: "w", source: "https://a.example", title: "t" },
        { type: "search_result_location", cited_text: "w", source: "shelf 7", title: "u" },
      ],
    },
  ]
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", content }
  const usage = { input_tokens: 1, output_tokens: 1 }
  router.answer({ json: JSON.stringify({ ...message, usage }) })
  const { back } = await clients.responses(router, modelOf("messages"), "json")
  expect(back).toMatchObject([
    {
      content: [
        {
          annotations: [
            { type: "file_citation", file_id: "file_1", filename: "a.pdf", index: 3 },
            { type: "file_citation", file_id: "", filename: "a.pdf", index: 3 },
            { type: "url_citation", url: "https://a.example", title: "t", start_index: 0, end_index: 3 },
          ],
        },
      ],
    },
  ])
  const { cited: pages } = await clients.chat_completions(router, modelOf("messages"), "json")
  expect(pages).toEqual([{ url: "https://a.example", title: "t", words: "one" }])

  const files = [
    { type: "file_citation", file_id: "file_1", filename: "a.pdf", index: 2 },
    { type: "container_file_citation", container_id: "c", file_id: "f", filename: "b", start_index: 0, end_index: 2 },
    { type: "file_path", file_id: "file_1", index: 0 },
  ]
  const part = { type: "output_text", text: "one", annotations: files }
  const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] }
  router.answer({
    json: JSON.stringify({ id: "r", object: "response", model: "m", status: "completed", output: [item] }),
  })
  for (const client of ["messages", "chat_completions"] as const) {
    const seen = await clients[client](router, modelOf("responses"), "json")
    expect([client, seen.text, seen.cited]).toEqual([client, "one", []])
  }
})

test("pages whose places overlap or say nothing are cited all the same", async () => {
  const router = await createProtocolRouter()
  const page = (url: string, from: number, to: number): object => ({
    type: "url_citation",
    url_citation: { url: `https://${url}.example`, title: url, start_index: from, end_index: to },
  })
  const annotations = [page("b", 4, 9), page("a", 0, 6), page("none", 0, 0), page("far", 90, 99), { type: "x" }]
  const choice = {
    index: 0,
    message: { role: "assistant", content: "one two three", annotations },
    finish_reason: "stop",
  }
  router.answer({
    json: JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice] }),
  })
  const seen = await clients.messages(router, modelOf("chat_completions"), "json")
  expect([seen.text, seen.cited.map(({ title, words }) => [title, words])]).toEqual([
    "one two three",
    [
      ["a", "one tw"],
      ["b", "o t"],
      ["none", "hree"],
      ["far", "hree"],
    ],
  ])
})
