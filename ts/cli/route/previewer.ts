// Previews for the commands that test routes: by a running router, or by one in this process that serves nobody.

import type { RoutingPreviewInput, RoutingPreviewReply } from "../management-client.gen.ts"
import type { RemoteOptions } from "../remote-options.ts"

export type PreviewRequest = RoutingPreviewInput["body"]

export interface Previewer {
  /** Rejects with an `RtrError` where the router refuses the request. */
  preview(request: PreviewRequest): Promise<RoutingPreviewReply>
  close(): Promise<void>
}

/** Asks a running router. */
export async function remotePreviewer(options: RemoteOptions): Promise<Previewer> {
  const { connectManagement } = await import("../remote.ts")
  const router = await connectManagement(options)
  return {
    preview: (body) => router.routingPreview({ body, query: { trace: true } }),
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
      preview: async (body) => (await preview(body)) as RoutingPreviewReply,
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
