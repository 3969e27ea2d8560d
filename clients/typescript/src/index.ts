// The entry point of the package for everything except browser bundles.

import { browserHost } from "./browser.js";
import type { SvcClientOptions } from "./client.js";
import { Client } from "./client.js";
import { isNode, nodeHost } from "./node.js";

export * from "./exports.js";

/** A client for one instance of the service. */
export class SvcClient extends Client {
  constructor(options: SvcClientOptions) {
    super(options, isNode() ? nodeHost : browserHost);
  }
}

/** An alias of `SvcClient`. */
export { SvcClient as SvcSDK };
