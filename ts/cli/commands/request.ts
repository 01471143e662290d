// rtr request chat: one chat completion through the router.

import type { Command } from "commander"
import { printJson, printLine } from "../print.ts"
import { commandGroup, refuseOptions, wholeNumber } from "../program.ts"

interface ChatOptions {
  readonly prompt?: string
  readonly model: string
  readonly system?: string
  readonly config: string
  readonly baseUrl?: string
  readonly apiKeyEnv: string
  readonly json: boolean
  readonly timeout: number
  readonly temperature?: string
}

export function addRequestCommands(program: Command): void {
  const request = commandGroup(program.command("request").description("send requests through the router"))
  const chat = request
    .command("chat")
    .description("send one message and print the answer")
    .argument("[message...]", "the message")
    .option("--prompt <text>", "the message, instead of the argument")
    .option("--model <name>", "model to ask for", "rtr/auto")
    .option("--system <text>", "system message")
    .option("--config <file>", "configuration whose first listener is called", "config.yaml")
    .option("--base-url <url>", "listener to call, with or without /v1")
    .option("--api-key-env <name>", "environment variable with the listener's key", "OPENAI_API_KEY")
    .option("--json", "print the whole reply and the routing headers as JSON", false)
    .option("--timeout <seconds>", "longest wait", wholeNumber(1, 3600), 120)
    .option("--temperature <number>", "sampling temperature")
  refuseOptions(chat, ["--target <target>"])
  chat.action(sendChat)
}

async function sendChat(words: readonly string[], options: ChatOptions): Promise<void> {
  const { RtrError } = await import("rtr")
  const message = options.prompt ?? words.join(" ")
  if (message.trim() === "")
    throw new RtrError(
      "invalid_request",
      'There is no message; write it behind the command, as in: rtr request chat "What is a monad?"',
    )
  const temperature = options.temperature === undefined ? undefined : Number(options.temperature)
  if (temperature !== undefined && !Number.isFinite(temperature))
    throw new RtrError("invalid_request", `--temperature must be a number, got "${options.temperature}"`)
  const url = `${await listenerUrl(options)}/v1/chat/completions`
  const key = process.env[options.apiKeyEnv]
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
    ...(key !== undefined && key !== "" && { authorization: `Bearer ${key}` }),
  }
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(options.timeout * 1000),
  }).catch((cause: unknown) => {
    const late = cause instanceof Error && cause.name === "TimeoutError"
    throw new RtrError(
      "unavailable",
      late ? `No answer from ${url} within ${options.timeout} s` : `The router does not answer at ${url}`,
      { cause, hint: "Start it with: rtr serve" },
    )
  })
  const text = await response.text()
  if (!response.ok)
    throw new RtrError(
      "upstream_error",
      `${answererOf(response.headers)} answered ${response.status}: ${errorText(text)}`,
    )
  const reply = JSON.parse(text) as { choices?: readonly { message?: { content?: unknown } }[] }
  if (options.json) printJson({ routing: routingHeaders(response.headers), reply })
  else printLine(String(reply.choices?.[0]?.message?.content ?? ""))
}

async function listenerUrl(options: ChatOptions): Promise<string> {
  if (options.baseUrl !== undefined) return options.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")
  const { loadConfig } = await import("rtr/node")
  const listener = (await loadConfig(options.config)).document.listeners?.[0] ?? { address: "127.0.0.1", port: 8801 }
  const host = ["0.0.0.0", "::"].includes(listener.address) ? "127.0.0.1" : listener.address
  return `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}`
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
