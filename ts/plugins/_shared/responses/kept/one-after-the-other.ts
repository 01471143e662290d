// Work that waits until other work of the same kind is done.

const lasts = new Map<string, Promise<unknown>>()

/** Runs the work when all that was given before under this name has ended. What one process does elsewhere is waited for, too. */
export async function oneAfterTheOther<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const before = lasts.get(name)
  const running = before === undefined ? work() : before.then(work, work)
  lasts.set(name, running)
  try {
    return await running
  } finally {
    if (lasts.get(name) === running) lasts.delete(name)
  }
}
