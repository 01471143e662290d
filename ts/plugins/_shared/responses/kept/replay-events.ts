// A kept response as the events of a stream.

import type { JsonValue, WireObject } from "../../../../kernel/index.ts"
import { namedEvent } from "../../dialect/named-event.ts"
import { isObject, isText, toList } from "../../dialect/wire.ts"

/** The events after a number, each text and each call in one piece. */
export function replayEvents(response: WireObject, startingAfter = -1): string {
  const events: string[] = []
  let sequence = 0
  const say: Say = (type, fields) => {
    if (sequence > startingAfter) events.push(namedEvent({ type, sequence_number: sequence, ...fields }))
    sequence += 1
  }
  const begun = { ...response, status: "in_progress", output: [], usage: null, error: null, incomplete_details: null }
  for (const type of ["response.created", "response.in_progress"]) say(type, { response: begun })
  toList(response["output"])
    .filter(isObject)
    .forEach((item, index) => replayItem(item, index, say))
  say(`response.${String(response["status"])}`, { response })
  return events.join("")
}

type Say = (type: string, fields: WireObject) => void

function replayItem(item: WireObject, index: number, say: Say): void {
  const at = { item_id: item["id"] ?? "", output_index: index }
  const { type } = item
  const parts = toList(item["content"]).filter(isObject)
  const { called = "", text = "" } = callOf(item) ?? {}
  const empty = called === "" ? {} : { [type === "custom_tool_call" ? "input" : "arguments"]: "" }
  const begun = { ...item, ...(parts.length > 0 && { content: [] }), ...empty, status: "in_progress" }
  say("response.output_item.added", { output_index: index, item: begun })
  parts.forEach((part, place) => replayPart(part, { ...at, content_index: place }, say))
  if (called !== "") {
    if (text !== "") say(`${called}.delta`, { ...at, delta: text })
    say(`${called}.done`, {
      ...at,
      ...(type === "custom_tool_call" ? { input: text } : { name: item["name"] ?? "", arguments: text }),
    })
  }
  say("response.output_item.done", { output_index: index, item })
}

/** The events of a call's text, and the text. */
function callOf({ type, arguments: json, input }: WireObject): { called: string; text: string } | undefined {
  if (type === "function_call") return { called: "response.function_call_arguments", text: textOf(json) }
  return type === "custom_tool_call" ? { called: "response.custom_tool_call_input", text: textOf(input) } : undefined
}

/** Where a part has its text, and what its events are called. */
const texts: Readonly<Record<string, readonly [field: string, events: string]>> = {
  output_text: ["text", "response.output_text"],
  refusal: ["refusal", "response.refusal"],
  reasoning_text: ["text", "response.reasoning_text"],
}

function replayPart(part: WireObject, at: WireObject, say: Say): void {
  const [field, events] = texts[textOf(part["type"])] ?? []
  const annotations = toList(part["annotations"])
  const begun =
    field === undefined ? part : { ...part, [field]: "", ...(annotations.length > 0 && { annotations: [] }) }
  say("response.content_part.added", { ...at, part: begun })
  if (field !== undefined) {
    const text = textOf(part[field])
    const logprobs: WireObject = part["type"] === "output_text" ? { logprobs: part["logprobs"] ?? [] } : {}
    if (text !== "") say(`${events}.delta`, { ...at, delta: text, ...logprobs })
    annotations.forEach((annotation, index) =>
      say("response.output_text.annotation.added", { ...at, annotation_index: index, annotation }),
    )
    say(`${events}.done`, { ...at, [field]: text, ...logprobs })
  }
  say("response.content_part.done", { ...at, part })
}

const textOf = (value: JsonValue | undefined): string => (isText(value) ? value : "")
