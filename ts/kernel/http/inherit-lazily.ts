// Lets a light class stand in for a class of the web platform.

/**
 * Gives the light class every member of the web class that it lacks; each goes to `real`, the web object, which the light one
 * makes when it is first asked for. Instances pass `instanceof` of the web class.
 */
export function inheritLazily<Web extends object>(light: { readonly real: Web }, web: Web): void {
  for (const name of Reflect.ownKeys(web)) {
    if (Object.hasOwn(light, name)) continue
    const { get, value } = Object.getOwnPropertyDescriptor(web, name) ?? {}
    const isMethod = get === undefined && typeof value === "function"
    Object.defineProperty(light, name, {
      configurable: true,
      ...(isMethod
        ? {
            value(this: { readonly real: Web }, ...args: unknown[]) {
              return (value as (...all: unknown[]) => unknown).apply(this.real, args)
            },
          }
        : {
            get(this: { readonly real: Web }) {
              return this.real[name as keyof Web]
            },
          }),
    })
  }
  Object.setPrototypeOf(light, web)
}
