// Lets signals read what a model has answered, all of it, before anybody else does. Loaded for decisions with a plugin that asks.

import { guardTexts } from "../../chat/request-texts.ts"
import { createReplyCollector } from "../../chat/collect-reply.ts"
import { textOf } from "../../chat/texts.ts"
import { RtrError } from "../../error.ts"
import type { Call, CallRecord } from "../../types/call.ts"
import type { Block, ChatReply, ChatRequest, ChatStream, Reply } from "../../types/chat.ts"
import type { PlannedSignal } from "../../types/plan.ts"
import type { JudgedReply } from "../../types/plugin.ts"
import { readableReply } from "./readable-reply.ts"
import type { readSignals, RequestInput, SignalHost } from "../signals.ts"
import type { unknownIn, unscannedIn } from "../unscanned.ts"

/** Steps that the rest of the pipeline has loaded already; importing them here would make chunks of their own of them on edge hosts. */
export interface JudgeSteps {
  readonly readSignals: typeof readSignals
  readonly unknownIn: typeof unknownIn
  readonly unscannedIn: typeof unscannedIn
}

export interface Judging {
  readonly host: Omit<SignalHost, "plan"> & { readonly plan: { readonly signalTimeoutMs: number } }
  readonly steps: JudgeSteps
  readonly call: Call
  readonly record: CallRecord
}

/** As much as a whole reply may have. */
const maxReplyBytes = 64 * 1024 * 1024

/** Reads a reply whole and asks these signals about it. Guards count what they did not read as they do for requests. */
export async function judgeReply(
  { host, steps, call, record }: Judging,
  signals: readonly PlannedSignal[],
  given: Exclude<Reply, { kind: "failure" }>,
): Promise<JudgedReply> {
  const whole = given.kind === "whole" ? given.reply : await readWhole(given.stream, call.hold)
  const reply = readableReply(whole, record.model ?? "")
  const plan = {
    signals,
    slotCount: signals.reduce((count, { rules }) => count + rules.length, 0),
    signalTimeoutMs: host.plan.signalTimeoutMs,
  }
  const request = asRequest(reply)
  const texts = guardTexts(request)
  const input: RequestInput = {
    text: request.turns.map(textOf).join("\n"),
    request,
    reply,
    asked: call.request,
    principal: call.principal,
    header: call.header,
    factsOf: () => [],
    textsFor: texts.textsFor,
    isTrusted: texts.isTrusted,
    isJoined: texts.isJoined,
    guardTexts: texts,
  }
  const readings = await steps.readSignals({ ...host, plan }, call, input)
  const unscanned = steps.unscannedIn(signals, readings)
  record.unscanned = [...record.unscanned, ...unscanned]
  const unknown = steps.unknownIn(signals, readings)
  if (unknown.length > 0) record.unknown = [...(record.unknown ?? []), ...unknown]
  const isBlocked = signals.some(({ guard, firstSlot, onUnknown }) =>
    guard?.some(({ onUnscanned }, index) => {
      const fact = readings.facts[firstSlot + index]
      if (fact?.state !== "unknown") return false
      // It has been read: the same settings hold as for a request in such a language.
      return fact.reason === "unsupported_language" ? onUnknown === "match" : onUnscanned === "block"
    }),
  )
  return {
    reply,
    facts: readings.facts.filter((fact) => fact !== undefined),
    isFound: isBlocked || readings.facts.some((fact) => fact?.state === "match"),
  }
}

/** One turn, so that a rule that reads the last one reads all choices. What a client cannot read is no part of it. */
function asRequest({ choices, model }: ChatReply): ChatRequest {
  const blocks = choices.flatMap((choice) => choice.blocks.map(withoutSeal))
  const turns = [{ role: "user", blocks }] as const
  return { model, turns, tools: [], generation: {}, stream: false, session: {}, extensions: {} }
}

/** Reasoning that is sealed for its own model says nothing to anybody else. */
function withoutSeal(block: Block): Block {
  return block.type === "reasoning" ? { type: "reasoning", text: block.text } : block
}

async function readWhole(stream: ChatStream, hold: Call["hold"]): Promise<ChatReply> {
  const collector = createReplyCollector()
  let size = 0
  try {
    for (let batch = await stream.next(); batch !== undefined; batch = await stream.next()) {
      const taken = batch.bytes?.length ?? JSON.stringify(batch.events).length
      size += taken
      if (size > maxReplyBytes)
        throw new RtrError("upstream_error", "The stream is longer than 64 MiB, and a guard has to read it whole")
      hold?.(taken)
      for (const event of batch.events) collector.add(event)
    }
  } catch (error) {
    stream.cancel()
    throw error
  }
  return collector.reply()
}
