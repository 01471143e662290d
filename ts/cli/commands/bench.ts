// rtrun bench: how fast a model is on this machine, and what it needs.

import { type Command, InvalidArgumentError, Option } from "commander"
import { type Format, formats } from "../bench/report.ts"
import { findModels } from "../models/find-models.ts"
import { addSourceOptions, type ModelSourceOptions } from "../models/options.ts"
import { printLine } from "../print.ts"
import { wholeNumber } from "../program.ts"

interface BenchOptions extends ModelSourceOptions {
  readonly lengths: readonly number[]
  readonly connections: readonly number[]
  readonly seconds: number
  readonly format: Format
  readonly device: string
  readonly profile: string
  readonly engine: string
  readonly family?: string
  readonly threads?: number
}

export function addBenchCommand(program: Command): void {
  const bench = addSourceOptions(
    program
      .command("bench")
      .description("measure a model on this machine, by length of text and number of connections")
      .argument("<model>", "a built-in model, a package folder, or organisation/name[@revision] of a hub"),
  )
    .addOption(list("--lengths <tokens>", "tokens of a text, separated by commas", 1_048_576, [16, 128, 512]))
    .addOption(list("--connections <counts>", "connections that ask at the same time", 256, [1, 8, 32]))
    .option("--seconds <seconds>", "length of one measurement", positive, 3)
    .addOption(new Option("--format <format>", "how the result is printed").choices(formats).default("table"))
    .option("--device <device>", "as in serve", "auto")
    .option("--profile <profile>", "as in serve", "exact")
    .option("--engine <engine>", "as in serve", "auto")
    .option("--family <family>", "as in serve")
    .option("--threads <count>", "as in serve", wholeNumber(1, 1024))
  bench.action((model: string, options: BenchOptions) => benchModel(model, options, bench))
}

async function benchModel(name: string, options: BenchOptions, command: Command): Promise<void> {
  const [model] = await findModels([name], options, command)
  if (model === undefined) return
  const { startWorkerProcess } = await import("../bench/worker-process.ts")
  const { measure } = await import("../bench/measure.ts")
  const { showMeasurement } = await import("../bench/report.ts")
  const { found } = model
  const settings: Readonly<Record<string, string | undefined>> = {
    "--served-model-name": found.name,
    "--base-path": found.basePath,
    "--device": options.device,
    "--profile": options.profile,
    "--engine": options.engine,
    "--family": options.family,
    "--threads": options.threads === undefined ? undefined : String(options.threads),
    // Every request is to be computed.
    "--result-cache-entries": "0",
    "--load-attempts": "1",
    "--log-level": "error",
  }
  const given = Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const licences = (options.acceptLicence ?? []).flatMap((id) => ["--accept-licence", id])
  const worker = await startWorkerProcess([found.folder, ...given.flat(), ...licences])
  try {
    const onProgress = (message: string): void => void (process.stderr.isTTY && process.stderr.write(`${message}\n`))
    printLine(showMeasurement(await measure(worker, { ...options, onProgress }), options.format))
  } finally {
    await worker.stop()
  }
}

/** An option that takes whole numbers from 1. */
function list(flags: string, description: string, most: number, preset: readonly number[]): Option {
  const read = wholeNumber(1, most)
  return new Option(flags, description)
    .default(preset, preset.join(","))
    .argParser((text) => text.split(",").map((part) => read(part.trim())))
}

function positive(text: string): number {
  const value = Number(text)
  if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("It must be a number above 0.")
  return value
}
