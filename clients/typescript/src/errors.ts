/**
 * Base of all errors of this library. An instance of this class itself means that a local check
 * failed and nothing was sent.
 */
export class SvcError extends Error {
  /** The cause of this error, if there is one. */
  declare readonly cause?: unknown;

  constructor(message: string, cause?: unknown) {
    super(message);
    this.name = new.target.label;
    if (cause !== undefined) {
      Object.defineProperty(this, "cause", { value: cause, configurable: true });
    }
  }

  /** Name of the class in stack traces, even after minification. */
  protected static label = "SvcError";
}

/** An admin method was called without a credential. Nothing was sent. */
export class SvcAuthError extends SvcError {
  protected static override label = "SvcAuthError";
}

/** An unusable response: a status other than 2xx, or a 2xx that is not JSON. */
export class SvcApiError extends SvcError {
  protected static override label = "SvcApiError";

  constructor(
    /** Status of the response. */
    readonly status: number,
    message: string,
    /** The decoded JSON body, or else its text (at most 64 KiB). */
    readonly body: unknown,
    /** Number of seconds that the server asks to wait, or null. */
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

/** There was no complete response because of name lookup, connection, TLS, time limit, cancellation or a broken body. */
export class SvcConnectionError extends SvcError {
  protected static override label = "SvcConnectionError";

  constructor(
    message: string,
    cause?: unknown,
    /** True if the time limit of the request expired. */
    readonly timeout = false,
  ) {
    super(message, cause);
  }
}
