// The client object: settings, the two namespaces, and what hangs on them.

import { Analytics } from "./analytics.js";
import type { AdminApi, ClientApi, PublicApi } from "./api.js";
import type { Call, CallOptions } from "./bind.js";
import { bind } from "./bind.js";
import { SvcError } from "./errors.js";
import type { Host } from "./host.js";
import { within } from "./host.js";
import type { Fixed, LogEvent, Settings, Token } from "./http.js";
import { send } from "./http.js";
import { Logs } from "./logs.js";
import { adminTable, clientTable, publicTable } from "./methods.js";
import { checkOptions } from "./options.js";
import type { AnalyticsOptions, FlushResult } from "./queue.js";
import { baseAddress, headerValue } from "./rules.js";
import type { Login, File as StoredFile } from "./schema.js";
import { transfers, Updates } from "./updates.js";
import { SDK_VERSION } from "./version.js";

/** Options of a client. */
export interface SvcClientOptions {
  /** Address of the instance, ending in `/api/v1`. */
  baseUrl: string;
  /** Key of the project that project-scoped methods use. */
  projectKey?: string | null | undefined;
  /** Credential of admin methods, or what gives it. */
  token?: string | (() => string | Promise<string>) | null | undefined;
  /** Platform to declare; null declares none. Default: detected. */
  platform?: string | null | undefined;
  /** Version of the platform; null declares none. Default: detected. */
  platformVersion?: string | null | undefined;
  /** Whether requests say what time it is here. Default true. */
  sendClientTime?: boolean | undefined;
  /** Time limit of one attempt in milliseconds, 0 for none. Default 15000. */
  timeoutMs?: number | undefined;
  /** Retries of a read that failed for a passing reason. Default 3. */
  retries?: number | undefined;
  /** Name of the application, appended to the user agent; not in browsers. */
  appIdentifier?: string | undefined;
  /** Headers of every request. */
  headers?: Record<string, string> | undefined;
  /** Language preference of public reads that name none. */
  locale?: string | null | undefined;
  /** Version of the application, for announcements and update checks that name none. */
  appVersion?: string | null | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Gets one event for every attempt of a request. */
  logger?: ((event: LogEvent) => void) | undefined;
  /** Options of event collection. */
  analytics?: AnalyticsOptions | undefined;
}

/** What `uploadFile` reads: bytes, a stream, or the path of a file where there is a file system. */
export type UploadSource = Blob | Uint8Array | ReadableStream<Uint8Array> | string;

/** Options of `uploadFile`. */
export interface UploadOptions {
  /** Storage to keep it in; the project's own when left out. */
  storageBackendId?: string | undefined;
  /** An earlier upload of the same file to go on with. */
  uploadId?: string | undefined;
  /** Ends the upload early; it can be resumed. */
  signal?: AbortSignal | undefined;
}

/** Calls without a credential, and event collection. */
export interface PublicNamespace extends PublicApi {
  /**
   * Collects an event and returns at once. Never throws, and does nothing while
   * collection is off.
   */
  track(name: string, properties?: object | null): void;
  /** Sends the collected events now. Does not reject when sending fails. */
  flush(): Promise<FlushResult>;
  /** Forgets everything about this user and collects nothing more, also after a restart. */
  optOut(): void;
  /** Undoes `optOut`, under a new identifier. */
  optIn(): void;
  /** Whether the user opted out, here or by a signal of the browser. */
  hasOptedOut(): boolean;
  /** In consent mode: starts collection until the end of this run. */
  grantConsent(): void;
  /** In consent mode: forgets everything and waits for consent again. Otherwise the same as `optOut`. */
  revokeConsent(): void;
  /** Continues under a new identifier and session. */
  resetIdentity(): void;
  /** The anonymous identifier; null while nothing is collected. */
  readonly distinctId: string | null;
}

/** Calls with a credential. */
export interface AdminNamespace extends AdminApi {
  /**
   * Uploads a file in chunks. Chunks that fail are sent again, up to three
   * rounds; a later call with `uploadId` sends what is missing.
   */
  uploadFile(source: UploadSource, name: string, options?: UploadOptions): Promise<StoredFile>;
}

/** A client on a given host; the entry points bind it to theirs. */
export class Client {
  /** Calls without a credential, and event collection. */
  readonly public: PublicNamespace;
  /** Calls with a credential. */
  readonly admin: AdminNamespace;
  /** Asks for updates and downloads them. */
  readonly updates: Updates;
  /** Reports errors; off until called. */
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
        "timeoutMs:number retries:number appIdentifier:string headers:object locale:string appVersion:string fetch:function " +
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
          // A hook of the application never breaks a request.
        }
        this.hooked = hooked;
      },
    };
    const appVersion = options.appVersion ?? null;
    const analytics = (this.analytics = new Analytics(this.fixed, this.settings, options.analytics || {}));
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
    const open = bind(publicTable, this.rules(call(false), appVersion));
    for (const name of ["track", "flush", "optOut", "optIn", "hasOptedOut", "grantConsent", "revokeConsent", "resetIdentity"] as const) {
      open[name] = (analytics[name] as (...args: never[]) => unknown).bind(analytics);
    }
    Object.defineProperty(open, "distinctId", { get: () => analytics.distinctId, enumerable: true });
    this.public = open as unknown as PublicNamespace;
    this.admin = bind(adminTable, this.rules(call(true), appVersion)) as unknown as AdminNamespace;
    this.admin.uploadFile = async (source, name, more = {}) => (await transfers()).upload(host, this.admin, source, name, more);
    this.updates = new Updates(this.fixed, this.settings, analytics, this.public, appVersion);
    this.logs = new Logs(this.fixed, this.settings, appVersion);
  }

  /** Key of the bound project, or null. */
  get projectKey(): string | null {
    return this.settings.projectKey;
  }

  /** Whether the service is up. */
  health(options?: CallOptions): ReturnType<ClientApi["health"]> {
    return this.own.health(options);
  }

  /** Logs an administrator in and uses the token from then on. */
  async login(username: string, password: string, options?: CallOptions): Promise<Login> {
    const result = await this.own.login({ username, password }, options);
    this.settings.token = hidden(result.access_token);
    return result;
  }

  /** Replaces the credential of later requests. */
  setToken(token: string | (() => string | Promise<string>)): void {
    this.settings.token = hidden(token);
  }

  /** Forgets the credential. */
  clearToken(): void {
    this.settings.token = hidden(null);
  }

  /** Binds another project, or none. */
  setProjectKey(projectKey: string | null): void {
    this.settings.projectKey = projectKey || null;
  }

  /** Declares another platform, or none. */
  setPlatform(platform: string | null): void {
    this.settings.platform = headerValue(platform);
  }

  /** Declares another version of the platform, or none. */
  setPlatformVersion(version: string | null): void {
    this.settings.platformVersion = headerValue(version);
  }

  /** Prefers another language, or none. */
  setLocale(locale: string | null): void {
    this.settings.locale = locale;
  }

  /**
   * Sends what is collected and lets requests under way come to their end, for at
   * most `timeoutMs` (default 2000); then it ends all that is left. Later calls
   * fail, and collect nothing.
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

  /** What JSON and logs show of it; never a credential. */
  toJSON(): { baseUrl: string; projectKey: string | null } {
    const { baseUrl, projectKey } = this.settings;
    return { baseUrl, projectKey };
  }

  /** Local rules of single methods. */
  private rules(call: Call, appVersion: string | null): Call {
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
        if (data.locale === null) {
          delete data.locale;
        }
        if (data.current_version == null && data.current_comparable_version == null) {
          if (!appVersion) {
            throw new SvcError("current_version or current_comparable_version is needed");
          }
          data.current_version = appVersion;
        }
      }
      if (path === "/public/{k}/feedbacks" && data.forward_to_codehost === true && !String(data.contact ?? "").trim()) {
        throw new SvcError("contact is needed when feedback is forwarded");
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

/** A credential in a function, whose insides neither inspection nor JSON show. */
const hidden = (token: SvcClientOptions["token"]): Token => (typeof token === "function" ? token : () => token || null);

/** Levels of log entries. */
export const LogLevel = { debug: 0, info: 1, warning: 2, error: 3 } as const;
