// Previews for the commands that test routes: by a running router, or by one in this process that serves nobody.

import type { RoutingPreviewInput, RoutingPreviewReply } from "../management-client.gen.ts"
import type { RemoteOptions } from "../remote-options.ts"
import { withOwnNames } from "./own-names.ts"

export type PreviewRequest = RoutingPreviewInput["body"]

export interface Previewer {
  /** Rejects with an `RtrError` where the router refuses the request. */
  preview(request: PreviewRequest): Promise<RoutingPreviewReply>
  close(): Promise<void>
}

/** What files of prompts call the name of the API key. */
const keyOfCase = "user_id"

/** Asks a running router. */
export async function remotePreviewer(options: RemoteOptions): Promise<Previewer> {
  const { connectManagement } = await import("../remote.ts")
  const router = await connectManagement(options)
  return {
    preview: (body) => withOwnNames(router.routingPreview({ body, query: { trace: true } }), keyOfCase),
    close: async () => {},
  }
}

/**
 * Routes by a document without a server: its models are loaded, no port is opened and no backend is called. Variables that are
 * not set are no matter, because nothing is sent. Rejects with a `ConfigError` for a document that cannot be used.
 */
export async function localPreviewer(config: string): Promise<Previewer> {
  const { createWorkerPool, createPrometheusMetrics, createRoutePreview, readHeads } = await import("rtr/node")
  const workers = createWorkerPool({
    metrics: createPrometheusMetrics().metrics,
    environment: process.env,
    log: () => {},
  })
  try {
    const { preview, close } = await createRoutePreview({ path: config, workers, readHeads })
    return {
      preview: async (body) => (await withOwnNames(preview(body), keyOfCase)) as RoutingPreviewReply,
      async close() {
        await close()
        await workers.close()
      },
    }
  } catch (error) {
    await workers.close()
    throw error
  }
}
