// How commands that talk to a running router find it. Apart from the client, so that help loads no client.

import type { Command } from "commander"
import { wholeNumber } from "./program.ts"

export interface RemoteOptions {
  /** Wins over the document. */
  readonly endpoint?: string
  /** The document whose management address is called. */
  readonly config?: string
  /** Name of the environment variable that holds the token. */
  readonly tokenEnv: string
  /** Seconds. */
  readonly timeout: number
}

export const defaultEndpoint = "http://127.0.0.1:8080"

/** Adds the options of every command that calls the management API. */
export function addRemoteOptions(command: Command): Command {
  return command
    .option("--config <file>", "configuration whose management address is called (default: config.yaml if it is there)")
    .option("--endpoint <url>", `management API, instead of --config (default: ${defaultEndpoint})`)
    .option("--timeout <seconds>", "longest wait", wholeNumber(1, 3600), 15)
    .option("--token-env <name>", "environment variable with the management token", "RTR_MGMT_TOKEN")
}
