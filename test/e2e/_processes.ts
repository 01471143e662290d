// Starts the real commands and real backends for end-to-end tests, and stops them when the test or its file ends.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { dataEvent } from "../fakes/event-stream.ts"
import { sendEvents, sendJson } from "./_backend-answers.ts"
import { atEnd } from "./_ends.ts"
import { forgetRouter, knowListener, type KnownRouter } from "./_described-responses.ts"

const root = join(import.meta.dirname, "../..")

export interface RunningCommand {
  readonly child: ChildProcess
  /** Everything written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<number | null>
}

/** Runs `rtr` or `rtrun` with arguments, of this checkout unless told otherwise. The process is killed when the test ends. */
export function startCommand(
  name: "rtr" | "rtrun",
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  checkout: string = root,
  input?: string,
): RunningCommand {
  const child = spawn(process.execPath, [join(checkout, "bin", `${name}.js`), ...args], {
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...environment },
  })
  child.stdin?.end(input)
  let stdout = ""
  let stderr = ""
  child.stdout?.on("data", (piece: Buffer) => (stdout += piece.toString()))
  child.stderr?.on("data", (piece: Buffer) => (stderr += piece.toString()))
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))
  if (name === "rtr" && args[0] === "serve") checkResponsesOf(child, () => stdout)
  atEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await exited
  })
  return { child, stdout: () => stdout, stderr: () => stderr, exited }
}

/** Every response of the listeners that it prints is checked against its own OpenAPI document. */
function checkResponsesOf(child: ChildProcess, stdout: () => string): void {
  const router: KnownRouter = { waiting: [] }
  child.stdout?.on("data", () => {
    for (const [name, url] of Object.entries(addressesIn(stdout()))) knowListener(url, name, router)
  })
  child.once("close", () => forgetRouter(router))
}

/** The listeners that `rtr serve` printed, by name. */
const addressesIn = (stdout: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...stdout.matchAll(/^ {2}(\S+)\s+(http\S+)$/gm)].map(([, name, url]) => [name, url]))

/** Runs a command to its end. */
export async function runCommand(
  name: "rtr" | "rtrun",
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  input?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const command = startCommand(name, args, environment, root, input)
  const code = await command.exited
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface TestRouter extends RunningCommand {
  /** Origin of the inference listener. */
  readonly url: string
  readonly management: string
  readonly metrics: string
  /** Writes another document into the file that the router watches. */
  write(config: object | string): void
  ask(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>
  stop(): Promise<number | null>
}

/** Serves a configuration on free ports. `config` needs neither version nor listeners. */
export async function startRouter(
  config: object,
  environment: NodeJS.ProcessEnv = {},
  args: readonly string[] = [],
  checkout: string = root,
): Promise<TestRouter> {
  const file = writeDocument(config)
  const command = startCommand(
    "rtr",
    ["serve", "--config", file, "--metrics-port", "0", "--grace-seconds", "5", ...args],
    environment,
    checkout,
  )
  await waitFor(() => command.stdout().includes("\n  test ") || command.child.exitCode !== null, 60_000)
  const addresses = addressesIn(command.stdout())
  const url = addresses["test"]
  if (url === undefined) throw new Error(`The router did not start:\n${command.stderr()}`)
  return {
    ...command,
    url,
    management: addresses["management"] ?? "",
    metrics: addresses["metrics"] ?? "",
    write: (document) => void writeDocument(document, file),
    ask: (body, headers = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    async stop() {
      command.child.kill("SIGTERM")
      return command.exited
    },
  }
}

/** Writes a document that `startRouter` could serve and returns its file, by default one that is gone after the test. */
export function writeDocument(
  document: object | string,
  file: string = join(temporaryFolder(), "config.json"),
): string {
  // Replaced by a rename, so that nobody reads half a document.
  writeFileSync(`${file}.new`, typeof document === "string" ? document : JSON.stringify(completed(document)))
  renameSync(`${file}.new`, file)
  return file
}

/** A whole document on free ports. */
function completed(config: object): object {
  const { global = {}, ...rest } = config as { global?: { services?: { management_api?: object } } }
  const management = { ...global.services?.management_api, port: 0 }
  return {
    version: "v0.3",
    listeners: [{ name: "test", address: "127.0.0.1", port: 0 }],
    routing: {},
    ...rest,
    global: { ...global, services: { ...global.services, management_api: management } },
  }
}

/** Lines of the log that are of no request, and those of requests that failed. A router that does its work writes none. */
export const besideRequests = (stderr: string): readonly string[] =>
  stderr
    .split("\n")
    .slice(0, -1)
    .filter((line) => !/^\{"time":"[^"]+","level":"(info|warning)","event":"request(_refused)?"/.test(line))

/** Waits for a condition; throws when it does not come true. */
export async function waitFor(condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const until = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > until) throw new Error(`Waited ${timeoutMs} ms for: ${condition.toString()}`)
    await sleep(20)
  }
}

export interface TestBackend {
  /** Origin, without path. */
  readonly url: string
  readonly endpoint: string
  /** Bodies of the requests so far. */
  readonly requests: {
    readonly headers: IncomingMessage["headers"]
    readonly path: string
    readonly body: Record<string, unknown>
  }[]
  /** Sockets that are open at this moment. */
  readonly openSockets: () => number
  readonly server: Server
}

export type BackendHandler = (
  body: Record<string, unknown>,
  response: ServerResponse,
  socket: Socket,
) => void | Promise<void>

/** A backend that answers as the handler says. */
export async function startTestBackend(handler: BackendHandler = answerPolitely): Promise<TestBackend> {
  const requests: TestBackend["requests"] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    let text = ""
    request.on("data", (piece: Buffer) => (text += piece.toString()))
    request.on("end", () => {
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
      requests.push({ headers: request.headers, path: request.url ?? "", body })
      void handler(body, response, request.socket)
    })
    response.on("error", () => {})
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    endpoint: `127.0.0.1:${port}`,
    requests,
    openSockets: () => sockets.size,
    server,
  }
}

export const chunkOf = (content: string, finish: string | null = null): string =>
  dataEvent({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  })

/** A whole reply, or a stream of four words, as the request asks. */
export function answerPolitely(body: Record<string, unknown>, response: ServerResponse): void {
  if (body["stream"] === true) {
    const words = ["one ", "two ", "three ", "four"].map((word) => chunkOf(word))
    sendEvents(response, [...words, chunkOf("", "stop"), dataEvent("[DONE]")])
  } else sendJson(response, replyOf(String(body["model"]), "hello"))
}

export function replyOf(model: string, content: string): object {
  return {
    id: "c",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  }
}

/** Providers with these models, all on one backend. */
export function providersOn(endpoint: string, ...models: readonly string[]): object {
  return { defaults: { model: models[0] }, models: models.map((name) => ({ name, backend_refs: [{ endpoint }] })) }
}

export const userMessage = (content: unknown, extra: object = {}): object => ({
  model: "MoM",
  messages: [{ role: "user", content }],
  ...extra,
})
