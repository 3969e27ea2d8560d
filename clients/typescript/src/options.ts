// Checks of options. A misspelt option would otherwise be ignored silently.

import { SvcError } from "./errors.js";

/**
 * Throws unless every option is known and has its type. `known` is a list such as `retries:number
 * token:string|function`; null and undefined count as omitted.
 */
export function checkOptions(options: object, known: string, where = ""): void {
  const types = new Map(known.split(" ").map((option) => option.split(":") as [string, string]));
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const type = types.get(name);
    if (!type) {
      throw new SvcError(`${where}${name.slice(0, 64)} is not an option; there are ${[...types.keys()].join(", ")}`);
    }
    if (value != null && !type.split("|").includes(typeof value)) {
      throw new SvcError(`${where}${name} must be of type ${type.replace("|", " or ")}, not ${typeof value}`);
    }
  }
}
