// rtr route: what the router would do with prompts, and why.

import { readFileSync } from "node:fs"
import type { Command } from "commander"
import { heading, printJson, printLine } from "../print.ts"
import type { RoutingPreviewInput, RoutingPreviewReply } from "../management-client.gen.ts"
import { commandGroup, refuseCommands, UsageError, wholeNumber } from "../program.ts"
import { readMessage } from "../request/message.ts"
import { addRemoteOptions, type RemoteOptions } from "../remote-options.ts"
import { confidenceText } from "../route-line.ts"
import { withOwnNames } from "../route/own-names.ts"
import { tracesOf } from "../route/rule-tree.ts"
import { traceLines } from "../route/trace-text.ts"

interface PreviewOptions extends RemoteOptions {
  readonly prompt?: string
  readonly messages?: string
  readonly requestFile?: string
  readonly protocol?: string
  readonly model?: string
  readonly recipe?: string
  readonly sessionId?: string
  readonly conversationId?: string
  readonly userId?: string
  readonly samplingSeed?: number
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
    .option(
      "--protocol <name>",
      "protocol of that body: chat_completions, messages or responses; told by its fields when left out",
    )
    .option("--model <name>", "model name of the request")
    .option("--recipe <name>", "recipe to route by, instead of that of the model name")
    .option("--session-id <id>", "session that it would belong to, for routing that learns")
    .option("--conversation-id <id>", "conversation that it would belong to")
    .option("--user-id <name>", "name of the API key that would be sent, for roles and routing that learns")
    .option("--sampling-seed <n>", "draw as a request would, the same each time", wholeNumber(0))
    .option("--trace", "show what every rule said", false)
    .option("--json", "print the answer as JSON", false)
  addRemoteOptions(command)
  command.action(preview)
  addTestCommand(route)
  addCompareCommand(route)
  refuseCommands(route, ["probe"])
}

interface TestOptions {
  readonly config: string
  readonly endpoint?: string
  readonly timeout: number
  readonly tokenEnv: string
  readonly update: boolean
  readonly junit?: string
  readonly json: boolean
}

function addTestCommand(route: Command): void {
  route
    .command("test")
    .description("check that prompts go where a file says; nothing is generated")
    .argument("<file>", "YAML or JSON with tests: prompts and what is expected of them")
    .option("--config <file>", "document to route by; no server is needed", "config.yaml")
    .option("--endpoint <url>", "management API of a running router, instead of --config")
    .option("--timeout <seconds>", "longest wait for a running router", wholeNumber(1, 3600), 15)
    .option("--token-env <name>", "environment variable with the management token", "RTR_MGMT_TOKEN")
    .option("--update", "write what the router does now into the file", false)
    .option("--junit <file>", "write the results as JUnit XML")
    .option("--json", "print the results as JSON", false)
    .action(async (file: string, options: TestOptions) => {
      const [{ localPreviewer, remotePreviewer }, { testRoutes }] = await Promise.all([
        import("../route/previewer.ts"),
        import("../route/test-routes.ts"),
      ])
      const { config, endpoint, ...remote } = options
      const previewer =
        endpoint === undefined ? await localPreviewer(config) : await remotePreviewer({ ...remote, endpoint })
      try {
        if ((await testRoutes(file, previewer, options)) > 0) process.exitCode = 1
      } finally {
        await previewer.close()
      }
    })
}

interface CompareOptions {
  readonly prompts: string
  readonly model?: string
  readonly json: boolean
  readonly check: boolean
}

function addCompareCommand(route: Command): void {
  route
    .command("compare")
    .description("show which prompts another document would send elsewhere; no server is needed")
    .argument("<old>", "the document as it is")
    .argument("<new>", "the document as it shall be")
    .requiredOption("--prompts <file>", "a file of route tests, or .txt or .jsonl with a prompt in each line")
    .option("--model <name>", "model name of the prompts that name none")
    .option("--check", "exit with 1 when a prompt changes its route, or neither document routes it", false)
    .option("--json", "print the changes as JSON", false)
    .action(async (before: string, after: string, options: CompareOptions) => {
      const [{ localPreviewer }, { compareRoutes }] = await Promise.all([
        import("../route/previewer.ts"),
        import("../route/compare-routes.ts"),
      ])
      const found = await compareRoutes({ before, after }, localPreviewer, options)
      if (options.check && found > 0) process.exitCode = 1
    })
}

async function preview(words: readonly string[], options: PreviewOptions): Promise<void> {
  const { connectManagement } = await import("../remote.ts")
  const body = await requestBody(words, options)
  const router = await connectManagement(options)
  // The text tells a recipe that matched nothing from one that has nothing to match.
  const asking = router.routingPreview({
    body,
    ...((options.trace || !options.json) && { query: { trace: true } }),
  })
  const reply = await withOwnNames(asking, "--user-id")
  if (options.json) printJson(reply)
  else printSummary(reply, options.trace)
}

async function requestBody(words: readonly string[], options: PreviewOptions): Promise<RoutingPreviewInput["body"]> {
  const { RtrError } = await import("rtr")
  const hasMessage = words.length > 0 || options.prompt !== undefined
  const given = [hasMessage || undefined, options.messages, options.requestFile].filter((value) => value !== undefined)
  if (options.protocol !== undefined && options.requestFile === undefined)
    throw new UsageError("--protocol is that of --request-file", "As in: --request-file body.json --protocol messages")
  if (given.length !== 1)
    throw new UsageError(
      "Give exactly one of a message, --messages and --request-file",
      'As in: rtr route preview "What is a monad?"',
    )
  const parse = (text: string, what: string): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      throw new RtrError("invalid_request", `${what} is not valid JSON`)
    }
  }
  const { model, recipe } = options
  const own = { ...(model !== undefined && { model }), ...(recipe !== undefined && { recipe }), ...contextOf(options) }
  if (hasMessage) return { ...own, text: await readMessage(words, options.prompt) }
  // What the user wrote is for the router to judge.
  if (options.messages !== undefined)
    return { messages: parse(options.messages, "--messages"), ...own } as RoutingPreviewInput["body"]
  const written = parse(readFileSync(options.requestFile ?? "", "utf8"), options.requestFile ?? "") as object
  const protocol = options.protocol ?? protocolOf(written)
  return {
    ...(protocol === undefined ? written : { request: written, protocol }),
    ...own,
  } as RoutingPreviewInput["body"]
}

/** Of bodies with fields that only one protocol has. Others are read as the preview has them: chat completions, or a text. */
function protocolOf(body: object): string | undefined {
  if ("input" in body && !("messages" in body)) return "responses"
  return "messages" in body && "system" in body ? "messages" : undefined
}

/** Whose request it would be. */
function contextOf({ sessionId, conversationId, userId, samplingSeed }: PreviewOptions): object {
  const context = {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    ...(userId !== undefined && { user_id: userId }),
    ...(samplingSeed !== undefined && { sampling_seed: samplingSeed }),
  }
  return Object.keys(context).length === 0 ? {} : { preview_context: context }
}

function printSummary(reply: RoutingPreviewReply, trace: boolean): void {
  const { decision_result: decision } = reply
  const rows: [string, string][] = [
    ["Requested", reply.requested_model ?? ""],
    ...(reply.recipe === undefined ? [] : [["Recipe", reply.recipe] satisfies [string, string]]),
    [
      "Decision",
      decision === undefined
        ? "(explicit model)"
        : decision.decision_name === ""
          ? noDecision(reply)
          : `${decision.decision_name}${confidenceText(decision.confidence)}`,
    ],
    ...(reply.decision_error === undefined ? [] : [["Refused", reply.decision_error] satisfies [string, string]]),
    ["Selected", selected(reply)],
    ["By", [reply.selection_method ?? "", reply.selection_reason].filter(Boolean).join(": ")],
    ...(reply.selection_provenance?.steps ?? []).map(({ method, action, reason, model }): [string, string] => [
      method === "adaptation" ? "Adaptation" : "Protection",
      `${model} (${action}: ${reason})`,
    ]),
    ["Plugins", decision?.plugins.join(", ") || "(none)"],
    ["Matched", listSignals(decision?.matched_signals, reply.signal_confidences)],
    ["Not matched", listSignals(decision?.unmatched_signals, undefined)],
  ]
  const errors = Object.entries(reply.signal_errors ?? {})
  if (errors.length > 0) rows.push(["Unknown", errors.map(([signal, reason]) => `${signal} (${reason})`).join(", ")])
  const { findings = [], unscanned = [] } = reply
  for (const { signal, kind, text, start, end, confidence } of findings)
    rows.push(["Found", `${signal} ${kind} in text ${text}, ${start}–${end} (${confidence.toFixed(2)})`])
  if (unscanned.length > 0)
    rows.push(["Unscanned", unscanned.map(({ guard, rule, reason }) => `${guard}:${rule} (${reason})`).join(", ")])
  for (const [label, value] of rows) printLine(`${heading(label.padEnd(12))} ${value}`)
  if (!trace) return
  printLine("")
  for (const line of traceLines(tracesOf(reply), reply.routing_decision, reply.strategy)) printLine(line)
}

function noDecision(reply: RoutingPreviewReply): string {
  if (reply.decision_error !== undefined) return "(cannot be decided)"
  if (tracesOf(reply).length > 0) return "(none matched)"
  return reply.recipe === undefined ? "(there are none)" : "(the recipe has none; --model or --recipe asks for another)"
}

function selected({
  selected_model: model,
  selection_method: method,
  selection_status: status,
  recommended_models: models,
}: RoutingPreviewReply): string {
  if (model !== undefined) return model
  if (status === "execution_required") return `(known when ${method} has asked models: ${models.join(", ")})`
  return `(${method ?? status})`
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
