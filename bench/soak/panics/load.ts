// Clients of a worker that panics: every request has a deadline, failures are counted, and silence is measured.

import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { createMixedRequests } from "../worker/mixed-load.ts"

export interface PanicLoad {
  readonly socketPath: string
  readonly connections: number
  readonly seconds: number
  readonly deadlineMs: number
}

export interface PanicFigures {
  /** Replies by status; `broken` are connections that broke off without one. */
  readonly replies: Readonly<Record<string, number>>
  /** The longest that a client waited for its reply, or for the end of its connection. */
  readonly longestWaitMs: number
  /** The longest time in which /health did not answer 200. */
  readonly longestDownMs: number
  readonly healthPolls: number
}

/** A client that was told to come again waits so long. */
const pauseMs = 100
const healthPollMs = 50

/** Makes a function that loads a worker for a time; each call goes on with new texts. */
export function createPanicLoad(): (load: PanicLoad) => Promise<PanicFigures> {
  const nextRequest = createMixedRequests()
  return async ({ socketPath, connections, seconds, deadlineMs }) => {
    const agent = new Agent({ keepAlive: true })
    const until = performance.now() + seconds * 1000
    const replies: Record<string, number> = {}
    let longestWaitMs = 0
    async function runClient(): Promise<void> {
      while (performance.now() < until) {
        const { path, body } = nextRequest()
        const options = { ...("options" in body ? (body.options as object) : {}), deadline_ms: deadlineMs }
        const startedAt = performance.now()
        const status = await ask({ agent, socketPath, path, body: JSON.stringify({ ...body, options }) })
        longestWaitMs = Math.max(longestWaitMs, performance.now() - startedAt)
        replies[status] = (replies[status] ?? 0) + 1
        if (status !== "200") await sleep(pauseMs)
      }
    }
    const health = pollHealth(agent, socketPath, until)
    await Promise.all(Array.from({ length: connections }, runClient))
    const { longestDownMs, polls } = await health
    agent.destroy()
    return { replies, longestWaitMs, longestDownMs, healthPolls: polls }
  }
}

async function pollHealth(
  agent: Agent,
  socketPath: string,
  until: number,
): Promise<{ readonly longestDownMs: number; readonly polls: number }> {
  let downSince: number | undefined
  let longestDownMs = 0
  let polls = 0
  while (performance.now() < until) {
    const isHealthy = (await ask({ agent, socketPath, path: "/health" })) === "200"
    const now = performance.now()
    polls += 1
    downSince = isHealthy ? undefined : (downSince ?? now)
    if (downSince !== undefined) longestDownMs = Math.max(longestDownMs, now - downSince)
    await sleep(healthPollMs)
  }
  return { longestDownMs, polls }
}

interface Asked {
  readonly agent: Agent
  readonly socketPath: string
  readonly path: string
  /** A POST of this JSON; a GET without it. */
  readonly body?: string
}

/** The status as text, or `broken`. */
function ask({ agent, socketPath, path, body }: Asked): Promise<string> {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" }
    const sent = request({ agent, socketPath, path, method: body === undefined ? "GET" : "POST", headers }, (reply) => {
      reply.resume()
      reply.on("close", () => resolve(reply.complete ? String(reply.statusCode) : "broken"))
    })
    sent.on("error", () => resolve("broken"))
    sent.end(body)
  })
}
