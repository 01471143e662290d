// rtrun serve, models and devices.

import { existsSync, readFileSync, statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { basename, resolve } from "node:path"
import { type Command, InvalidArgumentError } from "commander"
import { printJson, printLine, table } from "../print.ts"
import { refuseOptions, wholeNumber } from "../program.ts"

interface WorkerOptions {
  readonly models?: string
  readonly device: string
  readonly host: string
  readonly port: number
  readonly uds?: string
  readonly profile: string
  readonly engine: string
  readonly family?: string
  readonly servedModelName?: string
  readonly threads?: number
  readonly memoryBudget?: number
  readonly logLevel: string
  readonly maxQueue: number
  readonly maxQueuedTokens: number
  readonly maxBatchTokens: number
  readonly maxRequestBytes: number
  readonly maxBundleTasks: number
  readonly batchWindowMs: number
  readonly resultCacheEntries: number
  readonly loadAttempts: number
  readonly loadRetrySeconds: number
}

export function addWorkerCommands(program: Command): void {
  const serve = program
    .command("serve")
    .description("serve models over HTTP")
    .argument("[model...]", "built-in package names or package folders")
    .option("--models <file>", "models file instead of arguments")
    .option("--device <device>", "auto or cpu", "auto")
    .option("--host <address>", "address to listen on; there is no authentication", "127.0.0.1")
    .option("--port <port>", "port to listen on", wholeNumber(0, 65535), 8100)
    .option("--uds <path>", "Unix socket instead of TCP")
    .option("--profile <profile>", "exact", "exact")
    .option("--engine <engine>", "auto or onnxruntime", "auto")
    .option("--family <family>", "force a model family")
    .option("--served-model-name <name>", "name that requests use, for one model")
    .option("--threads <count>", "processor threads; all when left out", wholeNumber(1, 1024))
    .option("--memory-budget <gib>", "refuse models that need more", positiveNumber)
    .option("--log-level <level>", "debug, info, warning or error", "info")
    .option("--max-queue <requests>", "requests per model before 429", wholeNumber(1), 256)
    .option("--max-queued-tokens <tokens>", "tokens per model before 429", wholeNumber(1), 4_194_304)
    .option("--max-batch-tokens <tokens>", "tokens per forward", wholeNumber(1), 65_536)
    .option("--max-request-bytes <bytes>", "size of one request", wholeNumber(1), 8_388_608)
    .option("--max-bundle-tasks <tasks>", "tasks of one bundle", wholeNumber(1), 64)
    .option("--batch-window-ms <ms>", "wait for company while a forward runs", nonNegativeNumber, 2)
    .option("--result-cache-entries <entries>", "cached answers per model; 0 for none", wholeNumber(0), 16_384)
    .option("--load-attempts <count>", "tries to load a model", wholeNumber(1), 5)
    .option("--load-retry-seconds <seconds>", "first wait between tries; it doubles up to 300", positiveNumber, 5)
  refuseOptions(serve, [
    "--revision <sha>",
    "--cache-dir <folder>",
    "--offline",
    "--base-path <folder>",
    "--accept-licence <id>",
    "--autotune-cache <folder>",
  ])
  serve.action((models: readonly string[], options: WorkerOptions) => serveModels(models, options, serve))

  program
    .command("models")
    .description("list the built-in packages")
    .option("--json", "print JSON", false)
    .action(listModels)
  program.command("devices").description("list the devices that models can run on, as JSON").action(listAllDevices)
}

const positiveNumber = (text: string): number => inRange(text, (value) => value > 0, "a number above 0")
const nonNegativeNumber = (text: string): number => inRange(text, (value) => value >= 0, "a number of at least 0")

function inRange(text: string, fits: (value: number) => boolean, wanted: string): number {
  const value = Number(text)
  if (text.trim() === "" || !Number.isFinite(value) || !fits(value))
    throw new InvalidArgumentError(`It must be ${wanted}.`)
  return value
}

interface ModelsFileEntry {
  readonly model?: unknown
  readonly name?: unknown
  readonly device?: unknown
  readonly profile?: unknown
  readonly engine?: unknown
  readonly family?: unknown
  readonly memory_budget_gib?: unknown
}

async function serveModels(models: readonly string[], options: WorkerOptions, command: Command): Promise<void> {
  const { openEngine } = await import("rtr/node")
  if (options.models !== undefined && models.length > 0)
    command.error("error: give models as arguments or in a models file, not both")
  if (options.models === undefined && models.length === 0)
    command.error("error: there is no model; name a built-in package (see: rtrun models) or a package folder")
  if (options.servedModelName !== undefined && models.length !== 1)
    command.error("error: --served-model-name needs exactly one model")
  const entries =
    options.models === undefined
      ? await Promise.all(models.map((model) => fromArgument(model, options)))
      : await fromFile(options.models)
  const engine = await openEngine({
    models: entries.map((entry) => ({
      device: options.device,
      profile: options.profile,
      engine: options.engine,
      ...(options.family !== undefined && { family: options.family }),
      ...entry,
    })),
    logLevel: options.logLevel,
    threads: options.threads ?? availableParallelism(),
    ...(options.memoryBudget !== undefined && { memoryBudgetGib: options.memoryBudget }),
    maxQueue: options.maxQueue,
    maxQueuedTokens: options.maxQueuedTokens,
    maxBatchTokens: options.maxBatchTokens,
    maxRequestBytes: options.maxRequestBytes,
    maxBundleTasks: options.maxBundleTasks,
    batchWindowMs: options.batchWindowMs,
    resultCacheEntries: options.resultCacheEntries,
    loadAttempts: options.loadAttempts,
    loadRetrySeconds: options.loadRetrySeconds,
  })
  const address = await engine.serve(
    options.uds === undefined ? { host: options.host, port: options.port } : { uds: resolve(options.uds) },
  )
  // A router that started this worker says itself when it is ready.
  if (process.env["RTRUN_EXIT_WITH_STDIN"] !== "1")
    printLine(`rtrun listens on ${address.uds ?? `http://${address.host}:${address.port}`}`)
  stopOnSignal(() => engine.close(10_000))
  await engine.closed()
}

/** Ends on a signal, and with the router that started this worker: its end closes standard input. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  const end = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    void stop().finally(() => process.exit())
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end)
  if (process.env["RTRUN_EXIT_WITH_STDIN"] === "1") process.stdin.on("end", end).on("error", end).resume()
}

async function fromArgument(model: string, options: WorkerOptions): Promise<{ name: string; path: string }> {
  const path = await findPackage(model)
  return { name: options.servedModelName ?? basename(path), path }
}

/** A built-in name or a folder. Hub names are refused by name, because nothing is ever downloaded silently. */
async function findPackage(model: string): Promise<string> {
  const [{ builtinPackages, findBuiltinPackage }, { RtrError }] = await Promise.all([import("rtr/node"), import("rtr")])
  const builtin = findBuiltinPackage(model)
  if (builtin !== undefined) return builtin
  if (existsSync(model) && statSync(model).isDirectory()) return resolve(model)
  const hint = `use a built-in package (${builtinPackages.join(", ")}) or the folder of a package`
  if (model.includes("@"))
    throw new RtrError("invalid_request", `Cannot load "${model}": MODEL@REVISION is not supported yet; ${hint}`)
  throw new RtrError(
    "invalid_request",
    `Cannot load "${model}": there is no such folder, and loading from a hub is not supported yet; ${hint}`,
  )
}

const entryKeys: ReadonlySet<string> = new Set([
  "model",
  "name",
  "device",
  "profile",
  "engine",
  "family",
  "memory_budget_gib",
])

async function fromFile(file: string): Promise<readonly { name: string; path: string }[]> {
  const [{ parse }, { RtrError }] = await Promise.all([import("yaml"), import("rtr")])
  const refuse = (reason: string): never => {
    throw new RtrError("invalid_request", `Cannot use models file ${file}: ${reason}`)
  }
  let value: unknown
  try {
    value = parse(readFileSync(file, "utf8"))
  } catch (cause) {
    return refuse((cause as Error).message)
  }
  const list = Array.isArray(value) ? value : (value as { models?: unknown } | null)?.models
  if (!Array.isArray(list) || list.length === 0)
    return refuse("it must be a list of models, or a map with a list named models")
  return Promise.all(
    list.map(async (entry: unknown, index) => {
      const at = `models[${index}]`
      if (typeof entry !== "object" || entry === null) return refuse(`${at} must be a map`)
      for (const key of Object.keys(entry))
        if (!entryKeys.has(key))
          refuse(`${at}.${key} is ${["revision", "options"].includes(key) ? "not supported yet" : "not a known key"}`)
      const { model, name, memory_budget_gib: budget, ...rest } = entry as ModelsFileEntry
      if (typeof model !== "string" || model === "") return refuse(`${at}.model is missing`)
      for (const [key, item] of Object.entries({ name, ...rest }))
        if (item !== undefined && typeof item !== "string") refuse(`${at}.${key} must be a string`)
      if (budget !== undefined && typeof budget !== "number") refuse(`${at}.memory_budget_gib must be a number`)
      const path = await findPackage(model)
      return {
        ...(rest as object),
        ...(budget !== undefined && { memoryBudgetGib: budget as number }),
        name: (name as string | undefined) ?? basename(path),
        path,
      }
    }),
  )
}

async function listModels(options: { json: boolean }): Promise<void> {
  const { builtinPackages, findBuiltinPackage } = await import("rtr/node")
  const { createHash } = await import("node:crypto")
  const packages = builtinPackages.flatMap((name) => {
    const path = findBuiltinPackage(name)
    if (path === undefined) return []
    const read = (file: string): Buffer => readFileSync(resolve(path, file))
    const settings = JSON.parse(read("rtrun.json").toString()) as {
      family: string
      licence: string
      max_tokens: number
      heads?: readonly { name: string }[]
    }
    return [
      {
        name,
        family: settings.family,
        heads: (settings.heads ?? []).map((head) => head.name),
        max_tokens: settings.max_tokens,
        licence: settings.licence,
        revision: createHash("sha256").update(read("manifest.json")).digest("hex"),
      },
    ]
  })
  if (options.json) printJson(packages)
  else
    printLine(
      table(
        ["Name", "Family", "Heads", "Tokens", "Licence", "Revision"],
        packages.map(({ name, family, heads, max_tokens: tokens, licence, revision }) => [
          name,
          family,
          heads.join(", "),
          String(tokens),
          licence,
          revision.slice(0, 16),
        ]),
      ),
    )
}

async function listAllDevices(): Promise<void> {
  const { listDevices } = await import("rtr/node")
  const devices = await listDevices()
  printJson({ devices, auto: devices.find(({ available }) => available)?.id ?? null })
}
