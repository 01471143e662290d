// rtr route preview: what the router would do with a prompt, and why.

import { readFileSync } from "node:fs"
import type { Command } from "commander"
import { heading, printJson, printLine } from "../print.ts"
import type { RoutingPreviewInput, RoutingPreviewReply } from "../management-client.gen.ts"
import { commandGroup, refuseCommands, refuseOptions } from "../program.ts"
import { readMessage } from "../request/message.ts"
import { addRemoteOptions, type RemoteOptions } from "../remote-options.ts"

interface PreviewOptions extends RemoteOptions {
  readonly prompt?: string
  readonly messages?: string
  readonly requestFile?: string
  readonly model?: string
  readonly trace: boolean
  readonly json: boolean
}

export function addRouteCommands(program: Command): void {
  const route = commandGroup(program.command("route").description("look into routing"))
  const command = route
    .command("preview")
    .description("read the signals of a prompt, decide and select, without calling a model")
    .argument("[message...]", "a user message; what is piped in follows it; a last - waits for standard input")
    .option("--prompt <text>", "the message, instead of the argument")
    .option("--messages <json>", "a list of messages as JSON")
    .option("--request-file <file>", "a request body as JSON")
    .option("--model <name>", "model name of the request")
    .option("--trace", "show what every rule said", false)
    .option("--json", "print the answer as JSON", false)
  addRemoteOptions(command)
  refuseOptions(command, ["--session-id <id>", "--conversation-id <id>", "--sampling-seed <n>"])
  command.action(preview)
  refuseCommands(route, ["probe"])
}

async function preview(words: readonly string[], options: PreviewOptions): Promise<void> {
  const { connectManagement } = await import("../remote.ts")
  const body = await requestBody(words, options)
  const router = await connectManagement(options)
  const reply = await router.routingPreview({ body, ...(options.trace && { query: { trace: true } }) })
  if (options.json) printJson(reply)
  else printSummary(reply)
}

async function requestBody(words: readonly string[], options: PreviewOptions): Promise<RoutingPreviewInput["body"]> {
  const { RtrError } = await import("rtr")
  const hasMessage = words.length > 0 || options.prompt !== undefined
  const given = [hasMessage || undefined, options.messages, options.requestFile].filter((value) => value !== undefined)
  if (given.length !== 1)
    throw new RtrError("invalid_request", "Give exactly one of a message, --messages and --request-file", {
      hint: 'As in: rtr route preview "What is a monad?"',
    })
  const parse = (text: string, what: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      throw new RtrError("invalid_request", `${what} is not valid JSON`)
    }
  }
  const model = options.model === undefined ? {} : { model: options.model }
  if (hasMessage) return { ...model, text: await readMessage(words, options.prompt) }
  // What the user wrote is for the router to judge.
  const written =
    options.messages !== undefined
      ? { messages: parse(options.messages, "--messages") }
      : (parse(readFileSync(options.requestFile ?? "", "utf8"), options.requestFile ?? "") as object)
  return { ...written, ...model } as RoutingPreviewInput["body"]
}

function printSummary(reply: RoutingPreviewReply): void {
  const { decision_result: decision } = reply
  const rows: [string, string][] = [
    ["Requested", reply.requested_model ?? ""],
    [
      "Decision",
      decision === undefined
        ? "(explicit model)"
        : decision.decision_name === ""
          ? "(none matched)"
          : `${decision.decision_name} (confidence ${decision.confidence.toFixed(2)})`,
    ],
    ["Selected", reply.selected_model ?? `(${reply.selection_method ?? reply.selection_status ?? "none"})`],
    ["By", reply.selection_method ?? ""],
    ["Plugins", decision?.plugins.join(", ") || "(none)"],
    ["Matched", listSignals(decision?.matched_signals, reply.signal_confidences)],
    ["Not matched", listSignals(decision?.unmatched_signals, undefined)],
  ]
  const errors = Object.entries(reply.signal_errors ?? {})
  if (errors.length > 0) rows.push(["Unknown", errors.map(([signal, reason]) => `${signal} (${reason})`).join(", ")])
  const { unscanned = [] } = reply
  if (unscanned.length > 0)
    rows.push(["Unscanned", unscanned.map(({ guard, rule, reason }) => `${guard}:${rule} (${reason})`).join(", ")])
  for (const [label, value] of rows) printLine(`${heading(label.padEnd(12))} ${value}`)
  if (reply.eval_trace !== undefined) printJson(reply.eval_trace)
}

function listSignals(
  groups: Readonly<Record<string, readonly string[]>> | undefined,
  confidences: Readonly<Record<string, number>> | undefined,
): string {
  const confidenceOf = (rule: string): string => {
    const entry = Object.entries(confidences ?? {}).find(([key]) => key.endsWith(`:${rule}`))
    return entry === undefined ? "" : ` ${entry[1].toFixed(2)}`
  }
  const names = Object.entries(groups ?? {}).flatMap(([family, rules]) =>
    rules.map((rule) => `${family}:${rule}${confidenceOf(rule)}`),
  )
  return names.length === 0 ? "(none)" : names.join(", ")
}
