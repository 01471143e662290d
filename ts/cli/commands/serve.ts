// rtr serve: starts the router and the workers it needs.

import { type Command, Option } from "commander"
import type { LogLevel, Problem } from "rtr"
import type { ActivationOutcome, LoadedDocument } from "rtr/node"
import { hostAddress, offerWords, refuseOptions, share, wholeNumber } from "../program.ts"
import { exposedKeysWarning } from "../exposed-keys.ts"
import type { LogFormat } from "../event-line.ts"
import type { Logger } from "../logger.ts"
import { printLine } from "../print.ts"
import { exitBySignal, onStopSignal, type StopAction } from "../stop-signals.ts"

interface ServeOptions {
  readonly config: string
  readonly gateway: string
  readonly platform: string
  readonly runtimeProfile?: "exact" | "max_speed"
  readonly metricsPort: number
  readonly metricsAddress: string
  readonly graceSeconds: number
  readonly crd?: string
  readonly watch: boolean
  readonly allowMissingPlugins: boolean
  readonly strict: boolean
  readonly logFormat: LogFormat | "auto"
  readonly logLevel: LogLevel
  readonly logSample: number
}

/** What serves after the start may have no text that would tell places. */
type Serving = Omit<LoadedDocument, "locate"> & Partial<Pick<LoadedDocument, "locate">>

export function addServeCommand(program: Command): void {
  const command = program
    .command("serve")
    .description("start the router and its model workers")
    .argument("[model]", "not supported yet")
    .option("--config <file>", "configuration", "config.yaml")
    .option("--crd <folder>", "take the routing from the Kubernetes files of this folder")
    .addOption(offerWords("--gateway <mode>", "how requests come in", ["standalone"], "standalone"))
    .addOption(offerWords("--platform <platform>", "where models run", ["auto", "cpu"], "auto"))
    .addOption(
      new Option(
        "--runtime-profile <profile>",
        "how far answers of models without a profile may leave 32-bit arithmetic (default: max_speed for guard and signals, exact for others)",
      ).choices(["exact", "max_speed"]),
    )
    .option(
      "--allow-missing-plugins",
      "serve a configuration without the parts of it that rtr does not have, such as plugins and rate limits",
      false,
    )
    .option("--strict", "refuse a configuration that has warnings", false)
    .option("--no-watch", "leave a changed configuration file until SIGHUP")
    .option("--metrics-port <port>", "port of GET /metrics", wholeNumber(0, 65535), 9190)
    .option("--metrics-address <address>", "address of GET /metrics", hostAddress, "127.0.0.1")
    .option(
      "--grace-seconds <seconds>",
      "how long running requests may take when the router stops",
      wholeNumber(0, 3600),
      30,
    )
    .addOption(
      new Option("--log-format <format>", "auto is text on a terminal and json elsewhere")
        .choices(["auto", "json", "text"])
        .default("auto"),
    )
    .addOption(
      new Option("--log-level <level>", "least level of a line")
        .choices(["debug", "info", "warning", "error"])
        .default("info"),
    )
    .option("--log-sample <share>", "share of the lines of successful requests, from 0 to 1", share, 1)
  refuseOptions(command, [
    "-e, --engine",
    "--data-parallel-size <n>",
    "--dp <n>",
    "--device-ids <ids>",
    "--revision <sha>",
    "--image <image>",
    "--image-pull-policy <policy>",
    "--container-runtime <runtime>",
  ])
  command.action(async (model: string | undefined, options: ServeOptions) => {
    if (model !== undefined)
      command.error(
        "error: serve MODEL is not supported yet; bind models under global.model_catalog in the configuration",
      )
    if (options.gateway !== "standalone")
      command.error(`error: --gateway ${options.gateway} is not supported yet; there is standalone`)
    if (!["auto", "cpu"].includes(options.platform))
      command.error(`error: --platform ${options.platform} is not supported yet; there are auto and cpu`)
    await serve(options)
  })
}

async function serve(options: ServeOptions): Promise<void> {
  const startedAt = performance.now()
  const stopAsked = waitForSignal()
  const [
    { createWorkerPool, deploymentsOf, literalSecrets, readHeads, startRouter },
    { formatProblem, guardUses, documentWarnings },
    { openLog },
  ] = await Promise.all([import("rtr/node"), import("rtr"), import("../open-log.ts")])
  const log = openLog(options)
  const { logger } = log
  // A module that forgets to await something must not take every other request with it.
  process.on("unhandledRejection", (error) => log.onInternalError(error, "unknown"))
  // What a module throws in a timer or a callback of its own leaves nobody knows what undone, so the process has to end. Node
  // would write the message, which may quote a request. What the log holds is written at the exit.
  process.on("uncaughtException", (error) => {
    log.onCrash(error)
    process.exit(1)
  })
  // Without a listener the signal would end the process, also one that comes too early to mean anything.
  let reload = async (): Promise<void> => {}
  process.on("SIGHUP", () => void reload())
  const exposedIn = (loaded: Serving): Problem | undefined =>
    exposedKeysWarning(options.config, literalSecrets(loaded.unexpanded), loaded.locate ?? (() => undefined))
  const warningsOf = (loaded: LoadedDocument): readonly Problem[] => {
    const exposed = exposedIn(loaded)
    return [...loaded.warnings, ...documentWarnings(loaded), ...(exposed === undefined ? [] : [exposed])]
  }
  const tellWarnings = (loaded: Serving): void => {
    for (const warning of [...loaded.warnings, ...documentWarnings(loaded)])
      logger.event("warning", "config_warning", { message: formatProblem(warning, options.config) })
    const exposed = exposedIn(loaded)
    if (exposed !== undefined)
      logger.event("warning", "exposed_keys", { message: formatProblem(exposed, options.config) })
  }
  let guards: ReadonlySet<string> = new Set()
  /** A file that was cut off while somebody saved it may still be a document, with fewer guards. */
  const tellLostGuards = (loaded: Serving): void => {
    const before = guards
    guards = new Set(guardUses(loaded).map(({ guard, rule }) => `${guard}:${rule}`))
    const lost = [...before].filter((each) => !guards.has(each))
    if (lost.length > 0) logger.event("warning", "guards_lost", { guards: lost.join(",") })
  }
  const running = await startRouter({
    path: options.config,
    readHeads,
    crd: options.crd,
    watch: options.watch,
    ...(options.allowMissingPlugins && { missingParts: "allow" as const }),
    ...(options.strict && { refuse: warningsOf }),
    alsoWarn: documentWarnings,
    metricsPort: options.metricsPort,
    metricsAddress: options.metricsAddress,
    log: logger.event,
    onInternalError: log.onInternalError,
    onActivation(outcome, serving) {
      if (outcome.result === "active" && outcome.trigger !== "start" && serving !== undefined) {
        tellWarnings(serving)
        tellLostGuards(serving)
      }
      logActivation(logger, outcome)
    },
    onRecord: log.onRecord,
    onUnrouted: log.onUnrouted,
    createWorkers: (metrics) =>
      createWorkerPool({ metrics, environment: process.env, profile: options.runtimeProfile, log: logger.event }),
    onLoaded(loaded) {
      tellWarnings(loaded)
      tellLostGuards(loaded)
      const deployments = deploymentsOf(loaded)
      if (deployments.length > 0)
        logger.event("info", "loading_model_deployments", {
          deployments: deployments.map(({ name, artifact, endpoint }) => `${name}=${artifact ?? endpoint ?? ""}`),
        })
    },
  })
  reload = async () => {
    try {
      await running.reload("signal")
    } catch (error) {
      logger.event("warning", "config_unreadable", { reason: error instanceof Error ? error.message : String(error) })
    }
  }
  printLine(`rtr is ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  for (const [name, url] of Object.entries(running.addresses)) printLine(`  ${name.padEnd(12)} ${url}`)
  await stopAsked()
  logger.event("info", "stopping", { grace_seconds: options.graceSeconds })
  await running.stop(options.graceSeconds * 1000)
  await log.close()
}

/** What became of a document after the first one, which the end of the start tells. */
function logActivation(logger: Logger, outcome: ActivationOutcome): void {
  const { result, trigger } = outcome
  if (trigger === "start") return
  if (result === "rejected") {
    const { stage, hash, reasons } = outcome.rejection
    // Problems of a document have their place in the message; a stack would say nothing.
    const message = outcome.error instanceof Error ? outcome.error.message : "the configuration was refused"
    // A broken document has all its problems, of which the status has the first; another error has its place beside the message.
    const { problems, path } = (outcome.error ?? {}) as {
      readonly problems?: readonly unknown[]
      readonly path?: unknown
    }
    const place = path === undefined ? undefined : reasons[0]?.path
    const restart = reasons.find(({ code }) => code === "restart_required")
    logger.event("error", "config_rejected", {
      trigger,
      stage,
      hash,
      ...(restart !== undefined && { code: restart.code }),
      problems: problems?.length ?? reasons.length,
      message: place === undefined ? message : `${message} (${place})`,
    })
    return
  }
  logger.event("info", `config_${result}`, {
    trigger,
    hash: outcome.hash,
    ...("version" in outcome && { version: outcome.version }),
  })
}

/**
 * Listens for signals at once. One that comes before the returned function is called ends the process, which removes what
 * was begun; later the first one resolves its promise.
 */
function waitForSignal(): () => Promise<void> {
  let stop: StopAction = exitBySignal
  onStopSignal((signal) => stop(signal), { signals: ["SIGINT", "SIGTERM"] })
  return () => new Promise<void>((resolve) => (stop = () => resolve()))
}
