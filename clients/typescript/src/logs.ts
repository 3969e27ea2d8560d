// Error reports: turns a caught or uncaught error into a log entry and never
// disturbs the application.

import { timer, within } from "./host.js";
import type { Fixed, Settings } from "./http.js";
import { address, headers, post } from "./http.js";
import { checkOptions } from "./options.js";
import { snapshot } from "./queue.js";
import { eventBackoff, eventOutcome, fnv1a32, present } from "./rules.js";
import { SDK_VERSION } from "./version.js";

/** The report of an error. */
export interface ErrorReport {
  /** 0 debug, 1 info, 2 warning, 3 error. */
  level: number;
  /** `Type: message` and the stack, at most 4096 characters. */
  content: string;
  /** Where the error was caught; at most 128 characters. */
  source?: string;
  /** The device and system that the app runs on. */
  device_info: Record<string, unknown>;
  /** The caller's fields, plus `fingerprint`, `repeated` and `dropped`. */
  custom_data: Record<string, unknown>;
}

/** Options of one report. */
export interface CaptureOptions {
  /** Default 3 (error). */
  level?: number | undefined;
  /** Where the error was caught. */
  source?: string | undefined;
  /** Fields to store with the report. */
  customData?: Record<string, unknown> | undefined;
}

/** Options of `install`. */
export interface InstallOptions {
  /** Level of uncaught errors. Default 3. */
  level?: number | undefined;
  /** Can change a report, or drop it by returning null. */
  redact?: ((report: ErrorReport) => ErrorReport | null) | undefined;
  /** Also reports calls of `console.error`. Default false. */
  console?: boolean | undefined;
}

/** A JSON body, and the project that was bound when it was captured. */
interface Report {
  raw: string;
  projectKey: string | null;
}

const path = "/public/{k}/logs";

/** Reports errors in the background. */
export class Logs {
  private redact: InstallOptions["redact"];
  private readonly reports: Report[] = [];
  private readonly seen = new Map<string, { at: number; repeated: number }>();
  private tokens = 10;
  private filled = 0;
  private dropped = 0;
  private failures = 0;
  private running: Promise<void> | undefined;
  private wake: ReturnType<typeof setTimeout> | undefined;
  private undo: (() => void) | undefined;
  private busy = false;

  /** @internal */
  constructor(
    private readonly fixed: Fixed,
    private readonly settings: Settings,
    private readonly appVersion: string | null,
  ) {}

  /** Reports an error. Returns immediately, never throws, and writes nothing to the device. */
  capture(error: unknown, options: CaptureOptions = {}): void {
    if (this.add(error, options)) {
      this.begin();
    }
  }

  /** Starts reporting uncaught errors. Returns a function that stops it. */
  install(options: InstallOptions = {}): () => void {
    checkOptions(options, "level:number redact:function console:boolean");
    this.redact = options.redact;
    const { level } = options;
    const undo = [
      this.fixed.host.onError((error, source, last) => {
        if (this.add(error, { level, source }) && !last) {
          this.begin();
        } else if (last) {
          this.sendLast();
        }
      }),
    ];
    if (options.console) {
      const { error } = console;
      const hooked = (...args: unknown[]): void => {
        error.apply(console, args);
        this.capture(args.find((arg) => arg instanceof Error) || args.map(String).join(" "), { level, source: "console" });
      };
      console.error = hooked;
      undo.push(() => {
        if (console.error === hooked) {
          console.error = error;
        }
      });
    }
    return () => undo.forEach((end) => end());
  }

  /** Sends waiting reports for at most the given time. Does not reject. */
  async flush(timeoutMs = 2000): Promise<void> {
    await within(timeoutMs, this.start());
  }

  /** @internal */
  async close(timeoutMs: number): Promise<void> {
    if (this.reports.length) {
      await this.flush(timeoutMs);
    }
    this.undo?.();
    clearTimeout(this.wake);
  }

  /** Queues a report; returns false if there is nothing to send. */
  private add(error: unknown, options: CaptureOptions): boolean {
    if (this.busy || this.fixed.hooked || this.fixed.closed.aborted) {
      return false;
    }
    this.busy = true;
    try {
      const now = this.fixed.host.clock.mono();
      const parts = describe(error);
      const print = fnv1a32([parts.type, parts.message, parts.frame].join("\n"));
      const before = this.seen.get(print);
      if (before && now - before.at < 60000) {
        before.repeated++;
        return false;
      }
      this.tokens = Math.min(10, this.tokens + (now - this.filled) / 6000);
      this.filled = now;
      if (this.tokens < 1) {
        this.dropped++;
        return false;
      }
      const title = [parts.type, parts.message].filter(Boolean).join(": ");
      const { source } = options;
      const report = (this.redact || ((same) => same))({
        level: options.level ?? 3,
        content: [...(parts.stack ? title + "\n" + parts.stack : title).slice(0, 8192)].slice(0, 4096).join(""),
        ...(source && { source: source.slice(0, 128) }),
        device_info: this.device(),
        custom_data: {
          ...options.customData,
          fingerprint: print,
          ...present({ repeated: before?.repeated, dropped: this.dropped }),
        },
      });
      this.seen.delete(print);
      this.seen.set(print, { at: now, repeated: 0 });
      if (this.seen.size > 500) {
        this.seen.delete(this.seen.keys().next().value!);
      }
      if (!report) {
        return false;
      }
      this.tokens--;
      this.dropped = 0;
      const { device_info, custom_data } = report;
      const raw = JSON.stringify({ ...report, device_info: expressible(device_info), custom_data: expressible(custom_data) });
      this.reports.push({ raw, projectKey: this.settings.projectKey });
      if (this.reports.length > 100) {
        this.reports.shift();
      }
      return true;
    } catch {
      return false;
    } finally {
      this.busy = false;
    }
  }

  private device(): Record<string, unknown> {
    const { host } = this.fixed;
    const { platform, platformVersion } = this.settings;
    return present({
      sdk: "svc-sdk-js/" + SDK_VERSION,
      runtime: host.runtime(),
      os: platform,
      os_version: platform && platformVersion,
      arch: host.arch(),
      app_version: this.appVersion,
    });
  }

  /** Sends in the background, and sends the remaining reports when the process ends. */
  private begin(): void {
    this.undo = this.fixed.host.onEnd(this.end);
    void this.start();
  }

  private readonly end = (): Promise<void> => this.flush();

  private start(): Promise<void> {
    clearTimeout(this.wake);
    return (this.running =
      this.running || Promise.resolve().then(() => this.drain()).finally(() => (this.running = undefined)));
  }

  private async drain(): Promise<void> {
    while (this.reports.length) {
      const [report] = this.reports as [Report];
      const { raw } = report;
      const { status, after } = await post(this.fixed, this.settingsOf(report), { path, raw });
      if (this.fixed.closed.aborted) {
        return;
      }
      if (eventOutcome(status, 1) === "retry") {
        this.wake = timer(() => void this.start(), eventBackoff(5000, ++this.failures, after));
        return;
      }
      this.failures = 0;
      if (status > 299) {
        this.fixed.log({ message: "error report dropped", status });
      }
      if (this.reports[0] === report) {
        this.reports.shift();
      }
    }
  }

  /** Called when the process ends after this error: sends the newest report synchronously. */
  private sendLast(): void {
    const { fixed } = this;
    const report = this.reports.pop();
    if (report && fixed.host.sendLast) {
      const settings = this.settingsOf(report);
      if (settings.projectKey) {
        const request = { path, raw: report.raw };
        fixed.host.sendLast(address(settings, request), headers(fixed, settings, request, null), report.raw);
      }
    }
  }

  /**
   * The settings for a report: those of the project at capture time, or of the current project if
   * none was bound then.
   */
  private settingsOf({ projectKey }: Report): Settings {
    return { ...this.settings, projectKey: projectKey ?? this.settings.projectKey };
  }
}

/** A copy of fields; values that JSON cannot represent, such as a cycle, become text. */
function expressible(fields: unknown): unknown {
  return fields && JSON.parse(snapshot(fields) || "{}");
}

/** Type, message, stack without its first line, and innermost frame of any thrown value. */
function describe(error: unknown): { type: string; message: string; stack: string; frame: string } {
  if (!(error instanceof Error)) {
    return { type: "", message: String(error), stack: "", frame: "" };
  }
  const { name: type, message, stack: text = "" } = error;
  const head = [type, message].filter(Boolean).join(": ");
  const stack = (text.startsWith(head) ? text.slice(head.length) : text).replace(/^\s*\n/, "").trimEnd();
  const line = (stack.split("\n")[0] || "").trim().replace(/^at /, "");
  const [, name, file] = /^(.*?) ?\((.*)\)$/.exec(line) || /^(.*?)@(.*)$/.exec(line) || ["", "", line];
  const base = file!.replace(/(:\d+)+$/, "").replace(/[?#].*/s, "").replace(/^.*[\\/]/s, "");
  return { type, message, stack, frame: base && `${name || "<anonymous>"} (${base})` };
}
