// What a second process does in tests: fetches a model and prints where it is, or takes a lock and dies.

import { fetchModel } from "../../ts/models/hub/fetch-model.ts"
import { withLock } from "../../ts/models/hub/lock.ts"
import { readHubSettings } from "../../ts/models/hub/settings.ts"

const [first = "", second = ""] = process.argv.slice(2)
if (first === "--lock") await withLock(second, async () => process.kill(process.pid, "SIGKILL"))
else process.stdout.write(JSON.stringify(await fetchModel({ repository: first, settings: readHubSettings() })))
