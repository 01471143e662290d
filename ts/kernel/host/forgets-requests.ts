// The one difference between hosts that the kernel has to know.

/**
 * Cloudflare's workers drop a request when its client leaves: no timer of it fires and no `finally` of it runs. There nothing
 * may be counted over all requests, and no request may wait for another.
 */
export const forgetsRequests: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers"
