// rtr request chat: one message through the router, in the protocol that is asked for.

import { type Command, Option } from "commander"
import { printJson, printLine } from "../print.ts"
import { commandGroup, refuseOptions, UsageError, wholeNumber } from "../program.ts"
import { type ChatApi, chatApis, errorOf } from "../request/chat-api.ts"
import { eventData } from "../request/event-data.ts"
import { readMessage } from "../request/message.ts"
import { readPicture } from "../request/picture.ts"
import { routeLine } from "../route-line.ts"
import { documentAddress, type FoundAddress } from "../router-address.ts"

interface ChatOptions {
  readonly api: string
  readonly prompt?: string
  readonly model?: string
  readonly system?: string
  readonly config?: string
  readonly baseUrl?: string
  readonly apiKeyEnv?: string
  readonly image?: readonly string[]
  readonly stream: boolean
  readonly json: boolean
  readonly quiet: boolean
  readonly timeout: number
  readonly temperature?: string
  readonly maxTokens?: number
}

export function addRequestCommands(program: Command): void {
  const request = commandGroup(program.command("request").description("send requests through the router"))
  const chat = request
    .command("chat")
    .description("send one message and print the answer")
    .argument("[message...]", "the message; what is piped in follows it; a last - waits for standard input")
    .option("--prompt <text>", "the message, instead of the argument")
    .addOption(
      new Option("--api <name>", "protocol to speak with the router").choices(Object.keys(chatApis)).default("chat"),
    )
    .option(
      "--model <name>",
      `model to ask for (default: ${usualModel}, or the listener's one name of automatic routing)`,
    )
    .option("--system <text>", "system message")
    .option("--image <file>", "picture to send with the message; may be given several times", addTo)
    .option("--config <file>", "configuration whose first listener is called (default: config.yaml if it is there)")
    .option(
      "--base-url <url>",
      `listener to call, with or without /v1, instead of --config (default: ${usualListener})`,
    )
    .option("--api-key-env <name>", "environment variable with the key to send (default: the listener's own key)")
    .option("--stream", "print the answer while it comes", false)
    .option("--json", "print the routing headers and the reply as JSON; with --stream a line for each event", false)
    .option("--quiet", "do not tell on standard error how the message was routed", false)
    .option("--timeout <seconds>", "longest wait", wholeNumber(1, 3600), 120)
    .option("--temperature <number>", "sampling temperature")
    .option(
      "--max-tokens <number>",
      "most tokens of the answer (default: the model's; 4096 for messages)",
      wholeNumber(1),
    )
  refuseOptions(chat, ["--target <target>"])
  chat.action(sendChat)
}

const usualModel = "rtr/auto"
const usualListener = "http://127.0.0.1:8801"

const addTo = (file: string, files: readonly string[] = []): readonly string[] => [...files, file]

async function sendChat(words: readonly string[], options: ChatOptions): Promise<void> {
  const { RtrError } = await import("rtr")
  const temperature = options.temperature === undefined ? undefined : Number(options.temperature)
  if (temperature !== undefined && !Number.isFinite(temperature))
    throw new UsageError(`--temperature must be a number, got "${options.temperature}"`)
  const { system, maxTokens, stream, timeout } = options
  const pictures = await Promise.all((options.image ?? []).map(readPicture))
  const message = await readMessage(words, options.prompt)
  const listener = await listenerOf(options)
  const model = options.model ?? listener.onlyName ?? usualModel
  const api = chatApis[options.api] as ChatApi
  const url = `${listener.url}${api.path}`
  const body = api.body({ model, message, system, pictures, temperature, maxTokens, stream })
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...api.headers,
      ...(listener.key !== undefined && { authorization: `Bearer ${listener.key}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeout * 1000),
  }).catch((cause: unknown) => {
    const address = `${url} (from ${listener.from})`
    throw new RtrError(
      "unavailable",
      isLate(cause) ? `No answer from ${address} within ${timeout} s` : `The router does not answer at ${address}`,
      { cause, hint: "Start it with: rtr serve; --base-url or --config names another one" },
    )
  })
  if (!response.ok) throw await refusal(response, listener.unset)
  try {
    await (stream ? printStream(response, api, options) : printWhole(response, api, options))
  } catch (cause) {
    if (cause instanceof Error && cause.name === "RtrError") throw cause
    const said = isLate(cause) ? `The answer took longer than ${timeout} s` : "The answer broke off"
    throw new RtrError("upstream_error", said, { cause })
  }
}

const isLate = (cause: unknown): boolean => cause instanceof Error && cause.name === "TimeoutError"

async function refusal(response: Response, unset: string | undefined): Promise<Error> {
  const { RtrError } = await import("rtr")
  return new RtrError(
    "upstream_error",
    `${answererOf(response.headers)} answered ${response.status}: ${errorText(await response.text())}`,
    response.status === 401
      ? {
          hint: `${unset === undefined ? "Name" : `${unset}, which the configuration has the key from, is not set here; set it, or name`} the variable with the listener's key: --api-key-env NAME`,
        }
      : {},
  )
}

async function printWhole(response: Response, api: ChatApi, { json, quiet }: ChatOptions): Promise<void> {
  const reply = JSON.parse(await response.text()) as unknown
  if (json) return printJson({ routing: routingHeaders(response.headers), reply })
  if (!quiet) process.stderr.write(`${routeLine(response.headers)}\n`)
  printLine(api.textOf(reply))
}

/** An error in the middle comes as an event. What was printed before it stays. */
async function printStream(response: Response, api: ChatApi, { json, quiet }: ChatOptions): Promise<void> {
  const { RtrError } = await import("rtr")
  if (json) printLine(JSON.stringify({ routing: routingHeaders(response.headers) }))
  else if (!quiet) process.stderr.write(`${routeLine(response.headers)}\n`)
  let failure: string | undefined
  try {
    for await (const event of eventData(response.body as unknown as AsyncIterable<Uint8Array>)) {
      failure ??= api.failureOf(event)
      if (json) printLine(JSON.stringify(event))
      else process.stdout.write(api.deltaOf(event))
    }
  } finally {
    if (!json) printLine("")
  }
  if (failure !== undefined) throw new RtrError("upstream_error", `The answer broke off: ${failure}`)
}

/** The listener to call and the key that is for it: only a key that was named for this call, or the listener's own. */
async function listenerOf({ baseUrl, config, apiKeyEnv }: ChatOptions): Promise<FoundAddress> {
  const found: FoundAddress =
    baseUrl === undefined
      ? await documentAddress({
          config,
          read: (addresses) => addresses.listener(),
          usual: usualListener,
          option: "--base-url",
        })
      : { url: await baseOf(baseUrl), from: "--base-url" }
  if (apiKeyEnv === undefined) return found
  const key = process.env[apiKeyEnv]?.trim()
  if (key !== undefined && key !== "") return { ...found, key }
  const { RtrError } = await import("rtr")
  throw new RtrError(
    "invalid_request",
    `Cannot send a key: environment variable ${apiKeyEnv} of --api-key-env is not set`,
  )
}

async function baseOf(baseUrl: string): Promise<string> {
  const { readPlainUrl } = await import("rtr")
  const url = readPlainUrl(baseUrl)
  if (url !== undefined) return url.href.replace(/\/+$/, "").replace(/\/v1$/, "")
  throw new UsageError(`--base-url must be a URL such as ${usualListener}/v1, without user, query or fragment`)
}

function routingHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-")))
}

/** Who answered: routed replies say it, and errors of the router that they are errors. */
function answererOf(headers: Headers): string {
  const path = headers.get("x-rtr-response-path")
  if (path === null || path === "error") return "The router"
  return path === "upstream" ? `The backend of model "${headers.get("x-selected-model")}"` : `The plugin ${path}`
}

function errorText(body: string): string {
  try {
    const message = errorOf(JSON.parse(body))
    if (message !== undefined) return message
  } catch {
    // Not JSON: shown as it is, cut.
  }
  return body.slice(0, 2000)
}
