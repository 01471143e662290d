// docs/external-models.md against the router: prompts go where its tables say, with servers that answer as the page says they do.

import { expect, test } from "vitest"
import type { TransportRequest } from "../../ts/kernel/types/transport.ts"
import { completion, type FakeReply, jsonReply } from "../fakes/transport.ts"
import { openPage } from "./_page.ts"

/** The servers of the page: what they say depends on the text alone. */
function answer({ url, body = "" }: TransportRequest): FakeReply {
  const { hostname, pathname } = new URL(url)
  if (hostname !== "helper.example.com") return jsonReply(completion("hi"))
  const {
    inputs = "",
    messages = [],
    input = [],
  } = JSON.parse(body) as {
    readonly inputs?: string
    readonly input?: readonly string[]
    readonly messages?: readonly { readonly role: string; readonly content: string }[]
  }
  const text = messages.at(-1)?.content ?? ""
  switch (pathname) {
    case "/classify":
      return jsonReply(scoresOf(inputs))
    case "/v1/embeddings":
      return jsonReply({ data: input.map((each, index) => ({ index, embedding: vectorOf(each) })) })
    default:
      return jsonReply(completion(messages.length === 1 ? verdictOn(text) : choiceOf(messages[0]?.content ?? "", text)))
  }
}

const verdictOn = (text: string): string => `Safety: ${text.includes("Ignore") ? "Unsafe" : "Safe"}\nCategories: None`

const choiceOf = (instructions: string, text: string): string => {
  if (instructions.includes("way of answering"))
    return JSON.stringify({ label: text.includes("detail") ? "thorough" : text.includes("Short") ? "brief" : "other" })
  expect(instructions).toContain("cost the company money")
  return JSON.stringify({ label: text.includes("refund") ? "risky" : "harmless" })
}

function scoresOf(text: string): readonly { readonly label: string; readonly score: number }[] {
  const subjects = ["physics", "Cooking", "sports"]
  const isTone = !/physics|cooking|Hello/.test(text)
  if (isTone) {
    const angry = text.includes("angry") ? 0.9 : 0.2
    return [
      { label: "angry", score: angry },
      { label: "calm", score: 1 - angry },
    ]
  }
  const subject = subjects.find((label) => text.toLowerCase().includes(label.toLowerCase())) ?? ""
  return subjects.map((label) => ({ label, score: subject === "" ? 1 / 3 : label === subject ? 0.9 : 0.05 }))
}

const vectorOf = (text: string): readonly number[] =>
  Array.from({ length: 512 }, (_, place) => (place === (/money|invoice/.test(text) ? 0 : 1) ? 1 : 0))

const { blocks, wholeDocument, problemsOf, route } = openPage("external-models.md", { answer })

test("every block is valid inside the document that it belongs to, and gives no warning", async () => {
  const wrong: string[] = []
  for (const block of blocks)
    wrong.push(...(await problemsOf(wholeDocument(block))).map((problem) => `${block.section}: ${problem}`))
  expect(wrong).toEqual([])
})

test("every block has prompts that go where its table says", async () => {
  const { said, found } = await route(blocks)
  expect(found).toEqual(said)
  expect(blocks.filter(({ rows }) => rows.length === 0).map(({ section }) => section)).toEqual([])
})
