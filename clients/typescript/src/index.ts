// The entry of the package for everything but browser bundles.

import { browserHost } from "./browser.js";
import type { SvcClientOptions } from "./client.js";
import { Client } from "./client.js";
import { isNode, nodeHost } from "./node.js";

export * from "./exports.js";

/** A client of one instance of the service. */
export class SvcClient extends Client {
  constructor(options: SvcClientOptions) {
    super(options, isNode() ? nodeHost : browserHost);
  }
}

/** Another name of `SvcClient`. */
export { SvcClient as SvcSDK };
