// The rules of the contract as plain functions: without side effects. The
// shared vectors test every one of them.

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Bytes as hex digits. */
export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The fields that have a value. */
export const present = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value));

/** A–Z in lower case; every other letter stays. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());

/** 32-bit FNV-1a over UTF-8, as 8 hex digits (http://www.isthe.com/chongo/tech/comp/fnv/). */
export function fnv1a32(text: string): string {
  let hash = 2166136261;
  for (const byte of utf8(text)) {
    hash = Math.imul(hash ^ byte, 16777619);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Validates a base address and removes surrounding blanks and trailing slashes; null if it is invalid. */
export function baseAddress(text: string): string | null {
  const url = text.trim().replace(/\/+$/, "");
  return /^https?:\/\//i.test(url) ? url : null;
}

/** Scheme, host and port of a base address in the form used in namespaces. */
export function originOf(text: string): string {
  const [, scheme, rest] = /^(.*?):\/\/([^/?#]*)/s.exec(text.trim()) || [];
  if (scheme === undefined) {
    return lower(text.trim());
  }
  const origin = lower(scheme + "://" + rest!.replace(/^.*@/s, ""));
  return origin.replace(/:$/, "").replace(/^(http:.*):80$|^(https:.*):443$/s, "$1$2");
}

/** A project key in the form used for comparisons. */
export const projectName = (key: string | null | undefined): string => lower((key || "").trim());

/** Namespace of the local state of one project at one instance. */
export const namespaceOf = (baseUrl: string, projectKey?: string | null): string =>
  fnv1a32(originOf(baseUrl)) + "-" + (projectName(projectKey) || "default");

/** Name of the state file of a namespace, without `.json`. */
export const stateName = (namespace: string): string =>
  namespace.replace(/[^\w.-]/gu, "_").slice(0, 96);

/** Value of `x-svc-client-time`, or null if the time or the offset cannot be represented. */
export function clientTime(unixMs: number, offsetSeconds: number): string | null {
  const local = new Date(unixMs + offsetSeconds * 1000);
  const text = Number.isNaN(+local) ? "" : local.toISOString();
  if (offsetSeconds % 60 || text.length !== 24) {
    return null;
  }
  const minutes = Math.abs(offsetSeconds / 60);
  const two = (n: number) => String(n).padStart(2, "0");
  return (
    text.slice(0, 23) + (offsetSeconds < 0 ? "-" : "+") + two(Math.floor(minutes / 60)) + ":" + two(minutes % 60)
  );
}

/** Text of a platform header after cleaning, or null if it is empty. */
export const headerValue = (text: string | null | undefined): string | null =>
  (text || "")
    .replace(/[^!-~]+/g, " ")
    .trim()
    .slice(0, 32)
    .trim() || null;

/** A path argument as one segment, or null if URL parsers would rewrite it. */
export const pathSegment = (text: string): string | null =>
  /^\.{0,2}$/.test(text) ? null : encodeURIComponent(text);

/** Seconds of a `Retry-After` header in either form, or null. */
export function retryAfter(header: string | null, nowUnix: number): number | null {
  const text = (header || "").trim();
  if (/^\d+$/.test(text)) {
    return +text;
  }
  const date = /^[A-Za-z]+,? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil(date / 1000 - nowUnix));
}

/**
 * Milliseconds until the next attempt of a request, or null for none. `failure` is the status of a
 * response or the reason why there was none; `spread` is 0..1.
 */
export function retryDelay(
  method: string,
  done: number,
  max: number,
  failure: number | string,
  after: number | null,
  spread = 0,
): number | null {
  const worth = /^(50[234]|dns|connect|connect_timeout|tls_handshake|stale_connection)$/;
  if (!/^(GET|HEAD)$/.test(method) || done >= max || !worth.test(String(failure)) || (after || 0) > 30) {
    return null;
  }
  return Math.max(Math.min(300 * 2 ** done, 5000) * (1 + spread / 4), (after || 0) * 1000);
}

/**
 * Milliseconds that the event queue waits after `failures` consecutive failed sends; `after` is
 * Retry-After in seconds.
 */
export const eventBackoff = (intervalMs: number, failures: number, after?: number | null): number =>
  Math.max(Math.min(intervalMs * 2 ** (failures - 1), 60000), Math.min((after || 0) * 1000, 3600000));

/** Action of the event queue after a response; status 0 means that there was none. */
export function eventOutcome(status: number, events: number): "drop_batch" | "split" | "hold" | "retry" {
  if (status >= 200 && status < 300) {
    return "drop_batch";
  }
  if ([400, 413, 422].includes(status)) {
    return events > 1 ? "split" : "drop_batch";
  }
  return [401, 403, 404, 405, 410].includes(status) ? "hold" : "retry";
}

/** A normalized event name, or null if it is invalid. */
export function eventName(text: unknown): string | null {
  const name = lower(String(text).trim());
  return /^[a-z0-9_.:-]{1,64}$/.test(name) ? name : null;
}

/** Readable message from the body of an error. */
export function errorMessage(status: number, body: unknown): string {
  const { message, error } = (body || {}) as { message?: unknown; error?: unknown };
  const text = Array.isArray(message) ? message.join("; ") : message;
  return [text, error].find((part): part is string => !!part && typeof part === "string") || `HTTP ${status}`;
}

/** Parses lines of synonyms; each word maps to the first word of its line. */
export function synonyms(text: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const line of text.split("|")) {
    const words = line.split(" ");
    words.forEach((word) => (result[word] = words[0]!));
  }
  return result;
}

const platforms = synonyms(
  "windows win win32 win64 .exe .msi .msix|macos mac osx darwin .dmg .pkg|" +
    "linux .deb .rpm .appimage .flatpak .snap|android .apk .aab|ios iphone ipad .ipa|web wasm",
);

/** The words of a text that describes a download. */
export const tokens = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/x86[_-]64/g, "amd64")
    .split(/[^a-z0-9]+/);

/** The meanings of words; unknown words are ignored. */
export const meanings = (map: Record<string, string>, words: string[]): Set<string> =>
  new Set(words.map((word) => map[word]!).filter(Boolean));

/** The fields of a download that matter for choosing one. */
export interface LinkLike {
  /** Address of the file. */
  url: string;
  /** Display name. */
  name?: string | null | undefined;
  /** Platform, in free text. */
  platform?: string | null | undefined;
}

/**
 * Index of the download that fits best, or null if none does. `rank` returns how well the
 * architecture fits, given the words of platform, name and file: 0 is best, 3 and more is not at
 * all.
 */
export function updateLink(
  links: readonly LinkLike[],
  platform: string | null,
  rank: (sources: string[][]) => number = () => 0,
): number | null {
  let best: number | null = null;
  let least = 6;
  links.forEach((link, index) => {
    const file = decode(link.url.replace(/[?#].*/s, "").replace(/.*\//s, ""));
    const sources = [link.platform || "", link.name || "", file].map(tokens);
    const extension = (/\.\w+$/.exec(file.toLowerCase()) || [])[0] || "";
    const fits = (link.platform || "").trim()
      ? meanings(platforms, sources[0]!)
      : [sources[1]!, sources[2]!, [extension]].map((words) => meanings(platforms, words)).find((set) => set.size);
    const architecture = rank(sources);
    const score = !platform || architecture > 2 || (fits && !fits.has(platform)) ? 9 : architecture + (fits ? 0 : 3);
    if (score < least) {
      least = score;
      best = index;
    }
  });
  return best;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a download is a file of an instance of the service, which sends size and hash in its response. */
export const ownLink = (url: string): boolean =>
  /^https?:\/\/[^?#]*\/f\/[^/?#]+\/[0-9a-z]{12}\/[^/?#]+([?#]|$)/.test(url);

/** Memory of an update check; times in Unix seconds. */
export interface Remembered {
  checked_at: number;
  next_at: number;
}

/** Whether the service must be asked again; times in Unix seconds. */
export const updateDue = (memory: Remembered | null, interval: number, now: number): boolean =>
  !memory ||
  !(now < memory.next_at && now >= memory.checked_at && now < memory.checked_at + interval * 1.2);

/** Decision for the app from the response of an update check. */
export function updateDecision(answer: {
  should_update: boolean;
  required: boolean;
  milestone: { target_is_milestone: boolean };
}): "none" | "optional" | "required" | "milestone" {
  if (answer.required) {
    return "required";
  }
  if (!answer.should_update) {
    return "none";
  }
  return answer.milestone.target_is_milestone ? "milestone" : "optional";
}

const versionForm = /^(\d+(?:\.\d+)*)(?:-(alpha|beta|rc)(?:\.(\d+(?:\.\d+)*))?)?$/;

/** Whether a text is a comparable version. */
export const isComparableVersion = (text: string): boolean => versionForm.test(text);

/** The comparable version of a display version, for example `1.4.0` for `v1.4.0`, or null. */
export function deriveComparable(display: string): string | null {
  const text = display.trim().replace(/^v/i, "");
  return isComparableVersion(text) ? text : null;
}

/**
 * Order of two comparable versions: -1, 0 or 1.
 *
 * @throws {RangeError} when one of them is not a comparable version
 */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => {
    const parts = isComparableVersion(text) && versionForm.exec(text);
    if (!parts) {
      throw new RangeError(`not a comparable version: ${JSON.stringify(text)}`);
    }
    return parts;
  }) as [RegExpExecArray, RegExpExecArray];
  return compareNumbers(x[1]!, y[1]!) || order(x[2] || "z", y[2] || "z") || compareNumbers(x[3] || "0", y[3] || "0");
}

const order = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function compareNumbers(a: string, b: string): number {
  const [x, y] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const result = order(BigInt(x[i] || 0), BigInt(y[i] || 0));
    if (result) {
      return result;
    }
  }
  return 0;
}

/** A random UUID v4 from the system's secure generator. `randomUUID` is not available on pages without HTTPS. */
export function uuid(): string {
  if (crypto.randomUUID) {
    return crypto.randomUUID();
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 15) | 64;
  bytes[8] = (bytes[8]! & 63) | 128;
  return hex(bytes).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
