/** Base of every error of this library; itself it says that a local check failed and nothing was sent. */
export class SvcError extends Error {
  /** What this error was made of, where there is something. */
  declare readonly cause?: unknown;

  constructor(message: string, cause?: unknown) {
    super(message);
    this.name = new.target.label;
    if (cause !== undefined) {
      Object.defineProperty(this, "cause", { value: cause, configurable: true });
    }
  }

  /** Name of the class in stack traces, also after a minifier renamed it. */
  protected static label = "SvcError";
}

/** An admin method was called without a credential; nothing was sent. */
export class SvcAuthError extends SvcError {
  protected static override label = "SvcAuthError";
}

/** An answer that cannot be used: a status that is not 2xx, or a 2xx that is not JSON. */
export class SvcApiError extends SvcError {
  protected static override label = "SvcApiError";

  constructor(
    /** Status of the answer. */
    readonly status: number,
    message: string,
    /** The decoded JSON body, else its text (at most 64 KiB). */
    readonly body: unknown,
    /** Seconds the server asks to wait, or null. */
    readonly retryAfter: number | null,
    /** HTTP method of the request. */
    readonly method: string,
    /** Path of the request in template form, for example `/public/{k}/events/me`. */
    readonly path: string,
  ) {
    super(message);
  }

  /** `[<status>] <message>` */
  override toString(): string {
    return `[${this.status}] ${this.message}`;
  }
}

/** No complete answer: lookup, connection, TLS, time limit, cancellation or a broken body. */
export class SvcConnectionError extends SvcError {
  protected static override label = "SvcConnectionError";

  constructor(
    message: string,
    cause?: unknown,
    /** True when the time limit of the request ran out. */
    readonly timeout = false,
  ) {
    super(message, cause);
  }
}
