// rtr status: whether the router runs, is ready, and how its models are.

import type { Command } from "commander"
import { heading, printJson, printLine, table } from "../print.ts"
import { refuseOptions, wholeNumber } from "../program.ts"
import { defaultEndpoint, type RemoteOptions } from "../remote-options.ts"

export function addStatusCommand(program: Command): void {
  const command = program
    .command("status")
    .description("show the state of a running router and its models")
    .option("--json", "print the status as JSON", false)
    .option("--endpoint <url>", "management API", defaultEndpoint)
    .option("--timeout <seconds>", "longest wait", wholeNumber(1, 3600), 15)
    .option("--token-env <name>", "environment variable with the management token", "RTR_MGMT_TOKEN")
  refuseOptions(command, ["--target <target>", "--namespace <name>", "--context <name>", "--runtime <runtime>"])
  command.action(status)
}

interface StartupReply {
  readonly phase: string
  readonly ready: boolean
  readonly message?: string
  readonly model_deployments?: readonly {
    readonly name: string
    readonly artifact: string
    readonly process: string
    readonly state: string
    readonly restarts: number
    readonly reason?: string
  }[]
}

interface StatusReply {
  readonly instance_id: string
  readonly config: { readonly active_hash?: string }
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
}

async function status(options: RemoteOptions & { readonly json: boolean }): Promise<void> {
  const { callManagement } = await import("../remote.ts")
  const [startup, conditions] = await Promise.all([
    callManagement<StartupReply>("/startup-status", options, { accept: [503] }),
    callManagement<StatusReply>("/api/v1/status", options),
  ])
  // Scripts ask with the exit code: a router that is not ready is not a success.
  process.exitCode = startup.ready ? 0 : 1
  if (options.json) {
    printJson({ startup, status: conditions })
    return
  }
  printLine(
    `${heading("Router")}    ${startup.ready ? "ready" : `not ready (${startup.phase})`}${startup.message === undefined ? "" : `: ${startup.message}`}`,
  )
  printLine(`${heading("Instance")}  ${conditions.instance_id}`)
  printLine(`${heading("Config")}    ${conditions.config.active_hash ?? "(none active)"}`)
  printLine("")
  printLine(
    table(
      ["Condition", "Status", "Reason"],
      conditions.conditions.map(({ type, status: state, reason }) => [type, state, reason]),
    ),
  )
  const deployments = startup.model_deployments ?? []
  if (deployments.length === 0) return
  printLine("")
  printLine(
    table(
      ["Deployment", "Artifact", "Process", "State", "Restarts", "Reason"],
      deployments.map(({ name, artifact, process: owner, state, restarts, reason }) => [
        name,
        artifact,
        owner,
        state,
        String(restarts),
        reason ?? "",
      ]),
    ),
  )
}
