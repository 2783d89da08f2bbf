/** What a typed text means, or why it is refused. */
export type Parsed<T> = { value: T } | { problem: string };
