// Files of trained selectors. Hosts without files never get here.

interface FileSystem {
  readFile(file: string): Promise<Uint8Array>
  access(file: string): Promise<void>
}

/** Bundlers for edge hosts do not follow these names. */
const fileSystem: string = "node:fs/promises"
const fileUrls: string = "node:url"

const openFiles = async (): Promise<FileSystem> => (await import(/* @vite-ignore */ fileSystem)) as FileSystem

export async function readBytes(path: string): Promise<Uint8Array> {
  const { readFile } = await openFiles()
  return readFile(path)
}

export async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path))
}

/** What comes with the product, from the folder of this file upwards: sources, bundles and installed packages differ in depth. */
export async function findBuiltin(relative: string): Promise<string | undefined> {
  const { access } = await openFiles()
  const { url } = import.meta as { readonly url?: string }
  if (url?.startsWith("file:") !== true) return undefined
  const { fileURLToPath } = (await import(/* @vite-ignore */ fileUrls)) as { fileURLToPath(url: URL): string }
  for (let folder = new URL(".", url); ; folder = new URL("..", folder)) {
    const found = fileURLToPath(new URL(relative, folder))
    const isThere = await access(found).then(
      () => true,
      () => false,
    )
    if (isThere) return found
    if (folder.pathname === new URL("..", folder).pathname) return undefined
  }
}
