// A classifier behind the Model Context Protocol: a process on this machine, or a server over HTTP.

import {
  type Classification,
  type InferenceAnswer,
  RtrError,
  type Service,
  type ServiceHost,
} from "../../../kernel/index.ts"
import { objectIn } from "../loopers/object-in.ts"
import { wrongAnswer } from "./call.ts"
import { connectMcp, type McpClient, type McpServer, type McpTool } from "./mcp-client.ts"

export interface McpSettings extends McpServer {
  readonly tool_name?: string
  readonly timeout_seconds?: number
}

const who = "MCP classifier"
const usualSeconds = 30

/** A server that is away is not looked for more often. */
const reconnectMs = 1000

/** Names that tools for it have; one of another name counts when it has the word in its name. */
const usualTools = ["classify_text", "classify", "categorize", "categorise"]
const listTool = "list_categories"

interface Connection {
  readonly client: McpClient
  readonly tool: McpTool
  readonly categories: readonly string[]
}

export function mcpService(settings: McpSettings): Service {
  const timeoutMs = (settings.timeout_seconds || usualSeconds) * 1000
  return {
    name: "mcp",
    key: JSON.stringify(settings),
    timeoutMs,
    open: async (host) => {
      const connected = keepConnected(settings, timeoutMs)
      await connected.get().catch(() => tellAway(host))
      return {
        answer: (tasks, { signal }) =>
          Promise.all(
            tasks.map(async ({ kind, text }): Promise<InferenceAnswer> => {
              if (kind !== "classify")
                throw new RtrError(
                  "unsupported_surface",
                  `Cannot ask the ${who} a question of kind ${kind}; it classifies`,
                )
              return { kind, classification: await classify(await connected.get(), text, { signal, timeoutMs }) }
            }),
          ),
        close: connected.close,
      }
    },
  }
}

const tellAway = ({ log }: ServiceHost): void => {
  log("warning", "mcp_unavailable", { hint: "questions to the MCP classifier are unknown until it answers" })
}

/** One connection for all questions. A server that went away is looked for again with the next question. */
function keepConnected(
  settings: McpSettings,
  timeoutMs: number,
): { get(): Promise<Connection>; close(): Promise<void> } {
  let current: Promise<Connection> | undefined
  let failedAt = -Infinity
  let failure: unknown
  let closed = false
  const open = async (): Promise<Connection> => {
    const client = await connectMcp(settings, timeoutMs, () => {
      current = undefined
    })
    try {
      const tools = await client.tools()
      const tool = findTool(tools, settings.tool_name)
      const categories = await readCategories(client, tools, timeoutMs)
      return { client, tool, categories }
    } catch (error) {
      await client.close()
      throw error
    }
  }
  return {
    get() {
      if (closed) return Promise.reject(new RtrError("unavailable", `The ${who} is closed`))
      if (current === undefined && performance.now() - failedAt < reconnectMs) return Promise.reject(failure)
      current ??= open().catch((error: unknown) => {
        current = undefined
        failedAt = performance.now()
        failure = error
        throw error
      })
      return current
    },
    async close() {
      closed = true
      const last = await current?.catch(() => undefined)
      await last?.client.close()
    },
  }
}

function findTool(tools: readonly McpTool[], wanted: string | undefined): McpTool {
  const names = wanted === undefined ? usualTools : [wanted]
  const found =
    tools.find(({ name }) => names.includes(name)) ??
    (wanted === undefined ? tools.find(({ name }) => /classif/i.test(name)) : undefined)
  if (found === undefined)
    throw new RtrError(
      "model_not_found",
      `The ${who} has no tool ${names.join(", ")}; it has ${tools.map(({ name }) => name).join(", ")}`,
    )
  return found
}

async function readCategories(
  client: McpClient,
  tools: readonly McpTool[],
  timeoutMs: number,
): Promise<readonly string[]> {
  if (!tools.some(({ name }) => name === listTool)) return []
  const { categories } = objectIn(await client.call(listTool, {}, { timeoutMs })) ?? {}
  if (!Array.isArray(categories) || !categories.every((each) => typeof each === "string"))
    throw wrongAnswer(who, `${listTool} gives no list of categories`)
  return categories
}

async function classify(
  { client, tool, categories }: Connection,
  text: string,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Classification> {
  const wantsAll = tool.parameters.includes("with_probabilities") && { with_probabilities: true }
  const answer = objectIn(await client.call(tool.name, { text, ...wantsAll }, options))
  if (answer === undefined) throw wrongAnswer(who, "it is no JSON object")
  const { class: place, confidence, probabilities } = answer
  const chosen = typeof place === "string" ? place : categories[place as number]
  if (chosen === undefined) throw wrongAnswer(who, "its class is no category")
  const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1
  if (Array.isArray(probabilities)) {
    if (probabilities.length !== categories.length || !probabilities.every(isShare))
      throw wrongAnswer(who, "it has no probability from 0 to 1 for each category")
    return { labels: categories, probabilities: Float32Array.from(probabilities) }
  }
  if (!isShare(confidence)) throw wrongAnswer(who, "its confidence is no number from 0 to 1")
  const labels = categories.includes(chosen) ? categories : [...categories, chosen]
  return { labels, probabilities: Float32Array.from(labels, (label) => (label === chosen ? confidence : 0)) }
}
