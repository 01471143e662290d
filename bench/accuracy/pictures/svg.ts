// What all pictures share: a panel that is readable in light and in dark, and text.

/** Colours by class: ink and faint for text and lines, ground behind all, main and second for what is measured. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 14px; font-weight: 600 }
  .small { font-size: 10px }
  .faint { fill: #57606a }
  .ground { fill: #ffffff }
  .line { stroke: #8c959f; stroke-width: 1; fill: none }
  .grid { stroke: #d8dee4; stroke-width: 1 }
  .main { fill: #0969da }
  .second { fill: #bc4c00 }
  .on-main { fill: #ffffff }
  .stroke-main { color: #0969da }
  .stroke-second { color: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .faint { fill: #9198a1 }
    .ground { fill: #0d1117 }
    .line { stroke: #6e7681 }
    .grid { stroke: #2f353d }
    .main { fill: #4493f8 }
    .second { fill: #f0883e }
    .on-main { fill: #0d1117 }
    .stroke-main { color: #4493f8 }
    .stroke-second { color: #f0883e }
  }
`

export function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<style>${style}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="6"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n")
}

export interface Text {
  readonly x: number
  readonly y: number
  readonly anchor?: "start" | "middle" | "end"
  readonly classes?: string
  /** Degrees around its own place. */
  readonly turn?: number
}

export function text(content: string, { x, y, anchor = "start", classes = "", turn = 0 }: Text): string {
  const turned = turn === 0 ? "" : ` transform="rotate(${turn} ${short(x)} ${short(y)})"`
  return `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" class="${classes}"${turned}>${escape(content)}</text>`
}

/** A tenth of a pixel is enough. */
export function short(value: number): number {
  return Number(value.toFixed(1))
}

export function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
