// The configuration that each updater needs to read the feeds of a project.

export interface Updater {
  format: string;
  name: string;
  /** The file or the place that the configuration belongs to. */
  where: string;
  config: string;
}

/** Returns the part of a feed's address that all feeds of the project share. */
export const baseOf = (url: string): string => /^(.*?\/feeds\/[^/]+)/.exec(url)?.[1] ?? url;

/** Returns the updaters with their configuration. `base` is the address of the project's feeds, without a slash at its end. */
export function updatersOf(base: string, channel: string): Updater[] {
  return [
    {
      format: "electron",
      name: "electron-builder",
      where: "electron-builder.yml",
      config: `publish:\n  provider: generic\n  url: ${base}/electron${channel === "stable" ? "" : `\n  channel: ${channel}`}`,
    },
    {
      format: "tauri",
      name: "Tauri, cargo-packager",
      where: "tauri.conf.json",
      config: `{
  "bundle": { "createUpdaterArtifacts": true },
  "plugins": {
    "updater": {
      "endpoints": ["${base}/tauri/${channel}/{{target}}/{{arch}}/{{current_version}}?bundle_type={{bundle_type}}"],
      "pubkey": "…"
    }
  }
}`,
    },
    {
      format: "velopack",
      name: "Velopack",
      where: "C#",
      config: `var manager = new UpdateManager("${base}/velopack/${channel}");`,
    },
    {
      format: "sparkle",
      name: "Sparkle",
      where: "Info.plist",
      config: `<key>SUFeedURL</key>\n<string>${base}/sparkle/${channel}/appcast.xml</string>\n<key>SUPublicEDKey</key>\n<string>…</string>`,
    },
    {
      format: "winsparkle",
      name: "WinSparkle",
      where: "C",
      config: `win_sparkle_set_appcast_url("${base}/winsparkle/${channel}/appcast.xml");\nwin_sparkle_set_eddsa_public_key("…");`,
    },
    {
      format: "squirrel",
      name: "Squirrel.Windows",
      where: "Electron",
      config: `autoUpdater.setFeedURL({ url: \`${base}/squirrel/${channel}/\${process.arch === "ia32" ? "x86" : process.arch}\` })`,
    },
    {
      format: "squirrel-mac",
      name: "Squirrel.Mac",
      where: "Electron",
      config: `autoUpdater.setFeedURL({ url: \`${base}/squirrel-mac/${channel}/\${process.arch}/\${app.getVersion()}\` })`,
    },
    {
      format: "atom",
      name: "Atom",
      where: "HTML",
      config: `<link rel="alternate" type="application/atom+xml" href="${base}/releases.atom${channel === "stable" ? "" : `?channel=${channel}`}">`,
    },
    {
      format: "latest",
      name: "latest",
      where: "HTML",
      config: `<a href="${base}/latest/${channel}/windows">Windows</a>\n<a href="${base}/latest/${channel}/macos">macOS</a>\n<a href="${base}/latest/${channel}/linux">Linux</a>`,
    },
  ];
}
