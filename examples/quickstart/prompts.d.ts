export interface SamplePrompt {
  readonly text: string
  readonly decision: string | undefined
}
export declare const samplePrompts: readonly SamplePrompt[]
