// rtr request chat: one chat completion through the router.

import type { Command } from "commander"
import { printJson, printLine } from "../print.ts"
import { commandGroup, refuseOptions, wholeNumber } from "../program.ts"
import { routeLine } from "../route-line.ts"
import { documentAddress, type FoundAddress } from "../router-address.ts"

interface ChatOptions {
  readonly prompt?: string
  readonly model: string
  readonly system?: string
  readonly config?: string
  readonly baseUrl?: string
  readonly apiKeyEnv?: string
  readonly json: boolean
  readonly quiet: boolean
  readonly timeout: number
  readonly temperature?: string
}

export function addRequestCommands(program: Command): void {
  const request = commandGroup(program.command("request").description("send requests through the router"))
  const chat = request
    .command("chat")
    .description("send one message and print the answer")
    .argument("[message...]", "the message; standard input without it, or for -")
    .option("--prompt <text>", "the message, instead of the argument")
    .option("--model <name>", "model to ask for", "rtr/auto")
    .option("--system <text>", "system message")
    .option("--config <file>", "configuration whose first listener is called (default: config.yaml if it is there)")
    .option(
      "--base-url <url>",
      `listener to call, with or without /v1, instead of --config (default: ${usualListener})`,
    )
    .option("--api-key-env <name>", "environment variable with the key to send (default: the listener's own key)")
    .option("--json", "print the whole reply and the routing headers as JSON", false)
    .option("--quiet", "do not tell on standard error how the message was routed", false)
    .option("--timeout <seconds>", "longest wait", wholeNumber(1, 3600), 120)
    .option("--temperature <number>", "sampling temperature")
  refuseOptions(chat, ["--target <target>"])
  chat.action(sendChat)
}

const usualListener = "http://127.0.0.1:8801"

async function sendChat(words: readonly string[], options: ChatOptions): Promise<void> {
  const { RtrError } = await import("rtr")
  const temperature = options.temperature === undefined ? undefined : Number(options.temperature)
  if (temperature !== undefined && !Number.isFinite(temperature))
    throw new RtrError("invalid_request", `--temperature must be a number, got "${options.temperature}"`)
  const message = await messageOf(words, options)
  const listener = await listenerOf(options)
  const url = `${listener.url}/v1/chat/completions`
  const body = {
    model: options.model,
    messages: [
      ...(options.system === undefined ? [] : [{ role: "system", content: options.system }]),
      { role: "user", content: message },
    ],
    ...(temperature !== undefined && { temperature }),
  }
  const headers = {
    "content-type": "application/json",
    ...(listener.key !== undefined && { authorization: `Bearer ${listener.key}` }),
  }
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(options.timeout * 1000),
  }).catch((cause: unknown) => {
    const late = cause instanceof Error && cause.name === "TimeoutError"
    const address = `${url} (from ${listener.from})`
    throw new RtrError(
      "unavailable",
      late ? `No answer from ${address} within ${options.timeout} s` : `The router does not answer at ${address}`,
      { cause, hint: "Start it with: rtr serve; --base-url or --config names another one" },
    )
  })
  const text = await response.text()
  if (!response.ok)
    throw new RtrError(
      "upstream_error",
      `${answererOf(response.headers)} answered ${response.status}: ${errorText(text)}`,
      response.status === 401 ? { hint: "Name the variable with the listener's key: --api-key-env NAME" } : {},
    )
  const reply = JSON.parse(text) as { choices?: readonly { message?: { content?: unknown } }[] }
  if (options.json) return printJson({ routing: routingHeaders(response.headers), reply })
  if (!options.quiet) process.stderr.write(`${routeLine(response.headers)}\n`)
  printLine(String(reply.choices?.[0]?.message?.content ?? ""))
}

/** The words of the command line, or what stands on standard input. */
async function messageOf(words: readonly string[], { prompt }: ChatOptions): Promise<string> {
  const { RtrError } = await import("rtr")
  const written = prompt ?? (words.length === 0 ? undefined : words.join(" "))
  // A terminal that was asked nothing would only wait.
  const fromInput = written === "-" || (written === undefined && process.stdin.isTTY !== true)
  // The line break at the end is the shell's.
  const message = fromInput ? (await readAll(process.stdin)).replace(/\r?\n$/, "") : (written ?? "")
  if (message.trim() === "")
    throw new RtrError(
      "invalid_request",
      fromInput
        ? "Cannot send an empty message: standard input has no text"
        : 'There is no message; write it behind the command, as in: rtr request chat "What is a monad?", or pipe it in',
    )
  return message
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
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
  const { readPlainUrl, RtrError } = await import("rtr")
  const url = readPlainUrl(baseUrl)
  if (url !== undefined) return url.href.replace(/\/+$/, "").replace(/\/v1$/, "")
  throw new RtrError(
    "invalid_request",
    `--base-url must be a URL such as ${usualListener}/v1, without user, query or fragment`,
  )
}

function routingHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-")))
}

/** Who answered: the routing headers stand in replies that a backend or a plugin has given, and not in the router's own. */
function answererOf(headers: Headers): string {
  const path = headers.get("x-rtr-response-path")
  if (path === null) return "The router"
  return path === "upstream" ? `The backend of model "${headers.get("x-selected-model")}"` : `The plugin ${path}`
}

function errorText(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: string } }
    if (typeof error?.message === "string") return error.message
  } catch {
    // Not JSON: shown as it is, cut.
  }
  return body.slice(0, 2000)
}
