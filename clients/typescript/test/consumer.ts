// Code of an application, which is only compiled.

import { compareVersions, LogLevel, SvcApiError, type SvcClient, SvcSDK } from "svc-sdk";
import type { AnalyticsOptions, Download, PublicVersion, SvcClientOptions, Update, Version, VersionFields } from "svc-sdk";

const analytics: AnalyticsOptions = { requireConsent: true, onDrop: (name, reason) => void [name, reason] };
const options: SvcClientOptions = { baseUrl: "https://svc.example.com/api/v1", platform: null, locale: undefined, analytics };
const client: SvcClient = new SvcSDK(options);

export async function use(signal: AbortSignal): Promise<Download | null> {
  const latest: PublicVersion = await client.public.getLatestVersion({}, { signal });
  const preview: PublicVersion | null = await client.public.getLatestPreviewVersion();
  const change: VersionFields = { title: null, content: "new", download_url: undefined, platform: "haiku" };
  const version: Version = await client.admin.updateVersion(latest.id, change, { extra: { newer: 1 } });
  for await (const one of client.admin.iterVersions({ search: "x" }, { signal })) {
    const title: string | null = one.title;
    console.log(title, preview?.version, version.platform === "windows");
  }
  // @ts-expect-error a name cannot be cleared
  await client.admin.createVersion({ version: null, comparable_version: "1" });
  // @ts-expect-error the iterator sets the limit
  client.admin.iterVersions({ limit: 5 });
  await client.public.uploadLog({ level: LogLevel.warning, content: "careful" }).catch((error: unknown) => {
    if (error instanceof SvcApiError) {
      console.log(error.status, error.retryAfter?.toFixed());
    }
  });
  client.public.track("opened", { n: compareVersions("1", "2") });
  const stop: () => void = client.logs.install({ redact: (report) => (report.level > 2 ? report : null) });
  stop();
  const update: Update = await client.updates.check({ intervalMs: 1000 });
  return update.link ? update.download("/tmp/x", { signal, onProgress: (received, total) => console.log(received, total) }) : null;
}
