// rtr status: whether the router runs, is ready, and how its models are.

import type { Command } from "commander"
import { heading, printJson, printLine, table } from "../print.ts"
import { refuseOptions } from "../program.ts"
import type { StatusReadReply, StatusStartupReply } from "../management-client.gen.ts"
import { addRemoteOptions, type RemoteOptions } from "../remote-options.ts"

export function addStatusCommand(program: Command): void {
  const command = program
    .command("status")
    .description("show the state of a running router and its models")
    .option("--json", "print the status as JSON", false)
  addRemoteOptions(command)
  refuseOptions(command, ["--target <target>", "--namespace <name>", "--context <name>", "--runtime <runtime>"])
  command.action(status)
}

async function status(options: RemoteOptions & { readonly json: boolean }): Promise<void> {
  const { connectManagement } = await import("../remote.ts")
  const router = await connectManagement(options)
  const [startup, conditions] = await Promise.all([router.statusStartup(), router.statusRead()])
  // Scripts ask with the exit code: a router that is not ready is not a success.
  process.exitCode = startup.ready ? 0 : 1
  if (options.json) {
    printJson({ startup, status: conditions })
    return
  }
  printLine(
    `${heading("Router")}    ${startup.ready ? readyText(startup) : `not ready (${startup.phase})`}${startup.message === undefined ? "" : `: ${startup.message}`}`,
  )
  printLine(`${heading("Instance")}  ${conditions.instance_id}`)
  const { active_hash: hash = "(none active)", active_version: version } = conditions.config
  printLine(`${heading("Config")}    ${hash}${version === undefined ? "" : ` (version ${version})`}`)
  for (const warning of startup.config_warnings) printLine(`${heading("Warning")}   ${warning}`)
  if (startup.last_rejection !== undefined) printRejection(startup.last_rejection, conditions.config)
  printLine("")
  printLine(
    table(
      ["Condition", "Status", "Reason"],
      conditions.conditions
        .filter(({ reason }) => reason !== backendsNotAsked)
        .map(({ type, status: state, reason }) => [type, state, reason]),
    ),
  )
  const deployments = startup.model_deployments
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

/** A model that was lost takes nothing from requests that do not ask it, so the router stays ready. */
const readyText = ({ pending_models: away }: StatusStartupReply): string =>
  away.length === 0 ? "ready" : `ready, but without ${away.join(", ")}`

/** The condition `Ready` has this reason in a router that is ready: it calls no backend to find out whether it answers. */
const backendsNotAsked = "RequiredDependenciesUnobserved"

type Rejection = NonNullable<StatusStartupReply["last_rejection"]>

/** Why the newest document that was refused does not serve. It is told apart from one that a later document has followed. */
function printRejection({ at, stage, hash, reasons }: Rejection, config: StatusReadReply["config"]): void {
  const isNewest = config.observed_hash === hash && config.active_hash !== hash
  printLine("")
  printLine(
    `${heading("Rejected")}  ${hash} at ${at} (${stage})${isNewest ? "; the document before it serves" : "; a later document serves"}`,
  )
  for (const { path, line, message } of reasons) {
    const place = [line === undefined ? "" : `line ${line} `, path === undefined ? "" : `${path}: `].join("")
    printLine(`  ${place}${message}`)
  }
}
