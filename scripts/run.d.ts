export declare function run(label: string, command: string, args: readonly string[]): Promise<void>
