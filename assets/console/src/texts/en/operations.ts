interface Operations {
  /** Returns what an operation of the API does, given its summary in the API reference, which is in English. */
  summaryOf(id: string, summary: string): string;
  /** The link to the API reference. */
  details: string;
}

export const operations: Operations = { summaryOf: (_, summary) => summary, details: "Parameters and examples" };
