// Data: providers that a v0.3 document means without naming them.

/** Of a backend that names none. */
export const usualProvider = "vllm"

/** Of a backend that names none and whose model has this `api_format`: at an address of its own, or at the vendor's. */
export const providersOfFormat: Readonly<Record<string, { readonly own: string; readonly vendor: string }>> = {
  anthropic: { own: "anthropic-compatible", vendor: "anthropic" },
}
