// rtrun serve and devices.

import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { type Command, InvalidArgumentError, Option } from "commander"
import { type EngineModelOptions, toEngineModel } from "../../models/engine-model.ts"
import { addAutotuneOptions, type AutotuneOptions, autotuneFolder } from "../models/autotune.ts"
import { findModels } from "../models/find-models.ts"
import { addEngineModelOptions, addModelOptions, type ModelSourceOptions } from "../models/options.ts"
import { printJson, printLine } from "../print.ts"
import { hostAddress, offerWords, wholeNumber } from "../program.ts"
import { onStopSignal } from "../stop-signals.ts"

interface WorkerOptions extends ModelSourceOptions, AutotuneOptions, EngineModelOptions {
  readonly host: string
  readonly port: number
  readonly uds?: string
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
  const command = program.command("serve").description("serve models over HTTP")
  addEngineModelOptions(addAutotuneOptions(addModelOptions(command)))
    .option("--host <address>", "address to listen on; there is no authentication", hostAddress, "127.0.0.1")
    .option("--port <port>", "port to listen on", wholeNumber(0, 65535), 8100)
    .addOption(
      new Option("--uds <path>", "Unix socket instead of TCP").argParser(socketPath).conflicts(["host", "port"]),
    )
    .option("--served-model-name <name>", "name that requests use, for one model")
    .option("--threads <count>", "processor threads; all when left out", wholeNumber(1, 1024))
    .option("--memory-budget <gib>", "refuse models that need more", positiveNumber)
    .addOption(offerWords("--log-level <level>", "what is logged", ["debug", "info", "warning", "error"], "info"))
    .option("--max-queue <requests>", "requests per model before 429", wholeNumber(1), 256)
    .option("--max-queued-tokens <tokens>", "tokens per model before 429", wholeNumber(1), 4_194_304)
    .option("--max-batch-tokens <tokens>", "tokens per forward", wholeNumber(1), 65_536)
    .option("--max-request-bytes <bytes>", "size of one request", wholeNumber(1), 8_388_608)
    .option("--max-bundle-tasks <tasks>", "tasks of one bundle", wholeNumber(1), 64)
    .option("--batch-window-ms <ms>", "wait for company while a forward runs, at most 1000", batchWindow, 2)
    .option("--result-cache-entries <entries>", "cached answers per model; 0 for none", wholeNumber(0), 16_384)
    .option("--load-attempts <count>", "tries to load a model", wholeNumber(1), 5)
    .option("--load-retry-seconds <seconds>", "first wait between tries; it doubles up to 300", positiveNumber, 5)
    .action((models: readonly string[], options: WorkerOptions) => serveModels(models, options, command))

  program.command("devices").description("list the devices that models can run on, as JSON").action(listAllDevices)
}

const positiveNumber = (text: string): number => inRange(text, (value) => value > 0, "a number above 0")
const batchWindow = (text: string): number =>
  inRange(text, (value) => value >= 0 && value <= 1000, "a number from 0 to 1000")

function socketPath(text: string): string {
  if (text !== "") return resolve(text)
  throw new InvalidArgumentError("It must be the path of a socket, such as /run/rtrun/worker.sock.")
}

function inRange(text: string, fits: (value: number) => boolean, wanted: string): number {
  const value = Number(text)
  if (text.trim() === "" || !Number.isFinite(value) || !fits(value))
    throw new InvalidArgumentError(`It must be ${wanted}.`)
  return value
}

async function serveModels(models: readonly string[], options: WorkerOptions, command: Command): Promise<void> {
  const { openEngine } = await import("rtr/node")
  if (options.servedModelName !== undefined && models.length !== 1)
    command.error("error: --served-model-name needs exactly one model as an argument")
  const found = await findModels(models, options, command)
  const engine = await openEngine({
    models: found.map((model) => toEngineModel(model, options)),
    logLevel: options.logLevel,
    listen: options.uds === undefined ? { host: options.host, port: options.port } : { uds: options.uds },
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
    verdicts: autotuneFolder(options, process.env),
  })
  const address = await engine.serve()
  // A router that started this worker says itself when it is ready.
  if (process.env["RTRUN_EXIT_WITH_STDIN"] !== "1")
    printLine(`rtrun listens on ${address.uds ?? `http://${address.host}:${address.port}`}`)
  stopOnSignal((graceMs) => engine.close(graceMs))
  await engine.closed()
}

/** Ends on a signal, and with the router that started this worker: its end closes standard input. */
function stopOnSignal(stop: (graceMs: number) => Promise<void>): void {
  let stopping = false
  const end = (): void => {
    // A second wish ends what runs at once, answered as not finished.
    if (stopping) return void stop(0).finally(() => process.exit(1))
    stopping = true
    void stop(10_000).finally(() => process.exit())
  }
  onStopSignal(end, { again: end })
  if (process.env["RTRUN_EXIT_WITH_STDIN"] === "1") process.stdin.on("end", end).on("error", end).resume()
}

async function listAllDevices(): Promise<void> {
  const { listDevices } = await import("rtr/node")
  const devices = await listDevices()
  const usable = devices.filter(({ available }) => available)
  printJson({ devices, auto: (usable.find(({ kind }) => kind === "gpu") ?? usable[0])?.id ?? null })
}
