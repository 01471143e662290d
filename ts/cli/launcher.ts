// Follows the launcher that started this process on a newer Node: nobody else knows whom to stop when it is killed.

/** Set by `bin/launch.js`. */
const mark = "RTR_LAUNCHER"

/** Ends this process the way that a stop signal does when its launcher is gone. Does nothing without a launcher. */
export function followLauncher(): void {
  const launched = process.env[mark] !== undefined
  // Not for the processes that this one starts.
  delete process.env[mark]
  if (!launched || process.channel === undefined) return
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  // The channel alone keeps nothing running.
  process.channel?.unref()
}
