// The client object: settings, the two namespaces, and the helpers.

import { Analytics } from "./analytics.js";
import type { AdminApi, ClientApi, PublicApi } from "./api.js";
import type { Call, CallOptions } from "./bind.js";
import { bind } from "./bind.js";
import { SvcError } from "./errors.js";
import { feedbackReplies } from "./feedback.js";
import type { Host } from "./host.js";
import { within } from "./host.js";
import type { Fixed, LogEvent, Settings, Token } from "./http.js";
import { send } from "./http.js";
import { Logs } from "./logs.js";
import { adminTable, clientTable, publicTable } from "./methods.js";
import { checkOptions } from "./options.js";
import type { AnalyticsOptions, FlushResult } from "./queue.js";
import { baseAddress, headerValue } from "./rules.js";
import type { Feedback, FeedbackReply, Login, File as StoredFile } from "./schema.js";
import { transfers, Updates } from "./updates.js";
import { SDK_VERSION } from "./version.js";

/** Options of a client. */
export interface SvcClientOptions {
  /** Address of the instance, ending in `/api/v1`. */
  baseUrl: string;
  /** Key of the project that project-scoped methods use. */
  projectKey?: string | null | undefined;
  /** Credential of admin methods, or a function that returns it. */
  token?: string | (() => string | Promise<string>) | null | undefined;
  /** Platform to declare; null to declare none. Default: detected. */
  platform?: string | null | undefined;
  /** Version of the platform; null to declare none. Default: detected. */
  platformVersion?: string | null | undefined;
  /** Whether requests contain the local time. Default true. */
  sendClientTime?: boolean | undefined;
  /** Time limit of one attempt in milliseconds; 0 for no limit. Default 15000. */
  timeoutMs?: number | undefined;
  /** Retries of a read after a temporary failure. Default 3. */
  retries?: number | undefined;
  /** Name of the application, appended to the user agent; ignored in browsers. */
  appIdentifier?: string | undefined;
  /** Headers to add to every request. */
  headers?: Record<string, string> | undefined;
  /** Language preference of public reads that specify none. */
  locale?: string | null | undefined;
  /** Version of the application, for announcements and update checks that specify none, and the property `app_version` of events. */
  appVersion?: string | null | undefined;
  /** Channel that update checks ask for if they specify none, such as `preview`. */
  channel?: string | null | undefined;
  /** Key by which rollouts include the application. Default: a random number from 0 to 9999, kept with the local state. */
  rolloutKey?: string | null | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Called with one event for each attempt of a request. */
  logger?: ((event: LogEvent) => void) | undefined;
  /** Options of event collection. */
  analytics?: AnalyticsOptions | undefined;
}

/** The source of `uploadFile`: bytes, a stream, or the path of a file if there is a file system. */
export type UploadSource = Blob | Uint8Array | ReadableStream<Uint8Array> | string;

/** Options of `uploadFile`. */
export interface UploadOptions {
  /** Storage for the file. Default: the project's storage. */
  storageBackendId?: string | undefined;
  /** ID of an earlier, incomplete upload of the same file to resume. */
  uploadId?: string | undefined;
  /** Aborts the upload; it can be resumed. */
  signal?: AbortSignal | undefined;
}

/** Methods that need no credential, and event collection. */
export interface PublicNamespace extends PublicApi {
  /**
   * Collects an event and returns immediately. Never throws, and does nothing while collection is
   * off.
   */
  track(name: string, properties?: object | null): void;
  /**
   * Requests the replies to the feedback that this app has sent, the oldest feedback first.
   *
   * `createFeedback` keeps the IDs and reply tokens of the newest 20 records on the device, or only in memory
   * with the persistence `session`. It keeps nothing with `none`, or while collection is off. During that time
   * this method requests nothing and returns nothing. `optOut` and `revokeConsent` delete what was kept. A
   * record that the server no longer has is forgotten.
   */
  feedbackReplies(options?: Pick<CallOptions, "signal">): Promise<FeedbackReply[]>;
  /** Sends the collected events now. Does not reject if sending fails. */
  flush(): Promise<FlushResult>;
  /** Deletes all data about this user on the device and stops collection, even after a restart. */
  optOut(): void;
  /** Undoes `optOut`, under a new identifier. */
  optIn(): void;
  /** Whether the user has opted out, here or with a signal of the browser. */
  hasOptedOut(): boolean;
  /** In consent mode: enables collection until the end of this run. */
  grantConsent(): void;
  /** In consent mode: deletes all data about this user on the device and waits for consent again. Otherwise the same as `optOut`. */
  revokeConsent(): void;
  /** Starts a new identifier and a new session. */
  resetIdentity(): void;
  /** The anonymous identifier; null while collection is off. */
  readonly distinctId: string | null;
}

/** Methods that need a credential. */
export interface AdminNamespace extends AdminApi {
  /**
   * Uploads a file in chunks. Failed chunks are sent again in up to three rounds. A later call with
   * `uploadId` sends only the missing chunks.
   */
  uploadFile(source: UploadSource, name: string, options?: UploadOptions): Promise<StoredFile>;
}

/** A client on a given host; the entry points bind it to their host. */
export class Client {
  /** Methods that need no credential, and event collection. */
  readonly public: PublicNamespace;
  /** Methods that need a credential. */
  readonly admin: AdminNamespace;
  /** Checks for updates and downloads them. */
  readonly updates: Updates;
  /** Reports errors; off until one of its methods is called. */
  readonly logs: Logs;

  private readonly settings: Settings;
  private readonly fixed: Fixed;
  private readonly analytics: Analytics;
  private readonly close_ = new AbortController();
  private readonly own: ClientApi;

  /** @internal */
  constructor(options: SvcClientOptions, host: Host) {
    checkOptions(
      options,
      "baseUrl:string projectKey:string token:string|function platform:string platformVersion:string sendClientTime:boolean " +
        "timeoutMs:number retries:number appIdentifier:string headers:object locale:string appVersion:string channel:string rolloutKey:string fetch:function " +
        "logger:function analytics:object",
    );
    const baseUrl = baseAddress(options.baseUrl || "");
    if (!baseUrl) {
      throw new SvcError("baseUrl must start with http:// or https://");
    }
    if (!baseUrl.replace(/^.*?:\/\/[^/]*/, "").includes("/api/v")) {
      console.warn("svc-sdk: baseUrl has no /api/v… in its path");
    }
    const timeoutMs = options.timeoutMs ?? 15000;
    const retries = options.retries ?? 3;
    for (const [name, value] of Object.entries({ timeoutMs, retries })) {
      if (!(value >= 0)) {
        throw new SvcError(name + " must not be negative");
      }
    }
    const application = options.appIdentifier || "";
    const headers = { ...options.headers };
    if ([application, ...Object.entries(headers).flat()].some((text) => /[\r\n]/.test(text))) {
      throw new SvcError("appIdentifier and headers must not contain line breaks");
    }
    const { logger } = options;
    this.settings = {
      baseUrl,
      projectKey: options.projectKey || null,
      token: hidden(options.token),
      platform: headerValue(options.platform === undefined ? host.platform() : options.platform),
      platformVersion: headerValue(
        options.platformVersion === undefined && options.platform !== null ? host.platformVersion() : options.platformVersion,
      ),
      locale: options.locale ?? null,
    };
    this.fixed = {
      host,
      fetch: options.fetch || ((input, init) => fetch(input, init)),
      timeoutMs,
      retries,
      headers: () => headers,
      userAgent: host.agent && [`${host.agent}/${SDK_VERSION}`, application].filter(Boolean).join(" "),
      clientTime: options.sendClientTime ?? true,
      closed: this.close_.signal,
      attempts: new Set(),
      hooked: false,
      log(event) {
        const { hooked } = this;
        this.hooked = true;
        try {
          logger?.(event);
        } catch {
          // An error in a hook of the application must not fail a request.
        }
        this.hooked = hooked;
      },
    };
    const appVersion = options.appVersion ?? null;
    const analytics = (this.analytics = new Analytics(this.fixed, this.settings, options.analytics || {}, appVersion));
    const call =
      (admin: boolean): Call =>
      (flags, request, data) => {
        const { locale } = this.settings;
        if (flags.includes("l") && data.locale === undefined && locale) {
          data.locale = locale;
        }
        if (flags.includes("v") && data.version === undefined && appVersion) {
          data.version = appVersion;
        }
        return send(this.fixed, this.settings, { ...request, admin });
      };
    this.own = bind(clientTable, call(false)) as unknown as ClientApi;
    const open = bind(publicTable, this.rules(call(false), options));
    for (const name of ["track", "flush", "optOut", "optIn", "hasOptedOut", "grantConsent", "revokeConsent", "resetIdentity"] as const) {
      open[name] = (analytics[name] as (...args: never[]) => unknown).bind(analytics);
    }
    Object.defineProperty(open, "distinctId", { get: () => analytics.distinctId, enumerable: true });
    this.public = open as unknown as PublicNamespace;
    this.public.feedbackReplies = (options) => feedbackReplies(this.fixed, this.settings, analytics, options);
    this.admin = bind(adminTable, this.rules(call(true), options)) as unknown as AdminNamespace;
    this.admin.uploadFile = async (source, name, more = {}) => (await transfers()).upload(host, this.admin, source, name, more);
    this.updates = new Updates(this.fixed, this.settings, analytics, this.public, appVersion, options.channel);
    this.logs = new Logs(this.fixed, this.settings, appVersion);
  }

  /** Key of the bound project, or null. */
  get projectKey(): string | null {
    return this.settings.projectKey;
  }

  /** Whether the service is running. */
  health(options?: CallOptions): ReturnType<ClientApi["health"]> {
    return this.own.health(options);
  }

  /** Logs an administrator in and uses the token for later calls. */
  async login(username: string, password: string, options?: CallOptions): Promise<Login> {
    const result = await this.own.login({ username, password }, options);
    this.settings.token = hidden(result.access_token);
    return result;
  }

  /** Replaces the credential of later requests. */
  setToken(token: string | (() => string | Promise<string>)): void {
    this.settings.token = hidden(token);
  }

  /** Removes the credential. */
  clearToken(): void {
    this.settings.token = hidden(null);
  }

  /** Binds another project, or none if null. */
  setProjectKey(projectKey: string | null): void {
    this.settings.projectKey = projectKey || null;
  }

  /** Declares another platform, or none if null. */
  setPlatform(platform: string | null): void {
    this.settings.platform = headerValue(platform);
  }

  /** Declares another version of the platform, or none if null. */
  setPlatformVersion(version: string | null): void {
    this.settings.platformVersion = headerValue(version);
  }

  /** Sets the language preference, or none if null. */
  setLocale(locale: string | null): void {
    this.settings.locale = locale;
  }

  /**
   * Sends collected data and waits for pending requests for at most `timeoutMs` (default 2000),
   * then aborts the rest. Later calls fail and collect nothing.
   */
  async close(options: { timeoutMs?: number | undefined } = {}): Promise<void> {
    checkOptions(options, "timeoutMs:number");
    const { timeoutMs = 2000 } = options;
    const { closed, attempts } = this.fixed;
    if (!closed.aborted) {
      await Promise.all([this.analytics.close(timeoutMs), this.logs.close(timeoutMs), within(timeoutMs, Promise.all(attempts))]);
      this.close_.abort();
    }
  }

  /** The representation in JSON and logs, which never contains a credential. */
  toJSON(): { baseUrl: string; projectKey: string | null } {
    const { baseUrl, projectKey } = this.settings;
    return { baseUrl, projectKey };
  }

  /** Local rules for individual methods. */
  private rules(call: Call, { appVersion, channel, rolloutKey }: SvcClientOptions): Call {
    return (flags, request, data) => {
      const { method, path } = request;
      if (path.endsWith("/events/me")) {
        const who = (data.distinct_id ??= this.analytics.distinctId);
        if (!who) {
          throw new SvcError("there is no identifier: nothing is collected");
        }
        if (method === "DELETE") {
          this.analytics.dropOf(who as string);
        }
      }
      if (path.endsWith("/check-update")) {
        data.channel = data.channel === undefined ? channel : data.channel;
        if (data.rollout_key === undefined && this.projectKey) {
          data.rollout_key = rolloutKey || this.analytics.rolloutKey;
        }
        for (const name of ["locale", "channel", "rollout_key"]) {
          if (data[name] === null) {
            delete data[name];
          }
        }
        if (data.current_version == null && data.current_comparable_version == null) {
          if (!appVersion) {
            throw new SvcError("current_version or current_comparable_version is needed");
          }
          data.current_version = appVersion;
        }
      }
      if (path === "/public/{k}/feedbacks") {
        if (data.forward_to_codehost === true && !String(data.contact ?? "").trim()) {
          throw new SvcError("contact is needed when feedback is forwarded");
        }
        // Another project may be bound during the request.
        const keep = this.analytics.feedbackKeeper();
        return call(flags, request, data).then((feedback) => {
          keep(feedback as Feedback | null);
          return feedback;
        });
      }
      if (path === "/admin/projects" && method === "POST" && data.project_key === undefined && this.projectKey) {
        data.project_key = this.projectKey;
      }
      if (data.refresh === false) {
        delete data.refresh;
      }
      return call(flags, request, data);
    };
  }
}

/** A credential wrapped in a function, because neither inspection nor JSON shows a function's variables. */
const hidden = (token: SvcClientOptions["token"]): Token => (typeof token === "function" ? token : () => token || null);

/** Levels of log entries. */
export const LogLevel = { debug: 0, info: 1, warning: 2, error: 3 } as const;
