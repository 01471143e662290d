// The official client of the Model Context Protocol, behind what a classifier needs of it. The library loads with the first server.

import { isRtrError, RtrError } from "../../../kernel/index.ts"
import { wrongAnswer } from "./call.ts"

export interface McpServer {
  readonly transport_type?: string
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly url?: string
}

export interface McpTool {
  readonly name: string
  readonly parameters: readonly string[]
}

export interface McpClient {
  tools(): Promise<readonly McpTool[]>
  /** The text of the answer. Rejects with an `RtrError`. */
  call(
    tool: string,
    given: Readonly<Record<string, unknown>>,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<string>
  close(): Promise<void>
}

/** What is used of the library. */
interface Library {
  readonly Client: new (info: { name: string; version: string }) => Client
  readonly StreamableHTTPClientTransport: new (url: URL) => object
}
interface StdioLibrary {
  readonly StdioClientTransport: new (server: object) => object
}
interface Client {
  onclose?: (() => void) | undefined
  connect(transport: object, options: object): Promise<void>
  listTools(
    given: object,
    options: object,
  ): Promise<{
    readonly tools: readonly { readonly name: string; readonly inputSchema?: { readonly properties?: object } }[]
  }>
  callTool(
    given: object,
    options: object,
  ): Promise<{
    readonly isError?: boolean
    readonly content?: readonly { readonly type?: string; readonly text?: unknown }[]
    readonly structuredContent?: object
  }>
  close(): Promise<void>
}

/** Names that bundlers do not follow: hosts without processes start without the library. */
const library: string = "@modelcontextprotocol/client"
const stdioLibrary = `${library}/stdio`

/** Whether the server is a process of this machine. */
export const isLocal = ({ transport_type: type, url }: McpServer): boolean =>
  type === undefined || type === "" ? url === undefined : type === "stdio"

/** Rejects with an `RtrError`. `onClose` is told when the server goes away. */
export async function connectMcp(server: McpServer, timeoutMs: number, onClose: () => void): Promise<McpClient> {
  const { Client, StreamableHTTPClientTransport } = (await import(library)) as Library
  const client = new Client({ name: "rtr", version: "1" })
  const settle = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work
    } catch (cause) {
      if (isRtrError(cause)) throw cause
      const { code } = cause as { readonly code?: unknown }
      if (code === "REQUEST_TIMEOUT" || code === -32001)
        throw new RtrError("deadline_exceeded", "The MCP server did not answer in time", { cause })
      throw new RtrError("unavailable", "The MCP server cannot be reached, or it refuses the call", { cause })
    }
  }
  const transport = isLocal(server)
    ? await startProcess(server)
    : new StreamableHTTPClientTransport(new URL(server.url ?? ""))
  await settle(client.connect(transport, { timeout: timeoutMs }))
  let isOurs = false
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
  client.onclose = () => {
    if (!isOurs) onClose()
  }
  return {
    async tools() {
      const { tools } = await settle(client.listTools({}, { timeout: timeoutMs }))
      return tools.map(({ name, inputSchema }) => ({ name, parameters: Object.keys(inputSchema?.properties ?? {}) }))
    },
    async call(tool, given, { timeoutMs: timeout, signal }) {
      const answer = await settle(
        client.callTool({ name: tool, arguments: given }, { timeout, ...(signal !== undefined && { signal }) }),
      )
      if (answer.isError === true) throw wrongAnswer("the MCP classifier", `tool ${tool} failed`)
      const text = answer.content?.find(({ type }) => type === "text")?.text
      return typeof text === "string" ? text : JSON.stringify(answer.structuredContent ?? {})
    },
    close: async () => {
      isOurs = true
      await client.close().catch(() => {})
    },
  }
}

/** The process has what it needs to start and `env`, and none of the router's other variables, among which are keys. */
async function startProcess({ command = "", args = [], env }: McpServer): Promise<object> {
  const { StdioClientTransport } = (await import(stdioLibrary)) as StdioLibrary
  const { getDefaultEnvironment } = (await import(stdioLibrary)) as { getDefaultEnvironment(): object }
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...getDefaultEnvironment(), ...env },
    stderr: "ignore",
  })
}
