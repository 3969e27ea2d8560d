// Updates an app with electron-updater: update.cjs FEED FOLDER VERSION [INSTALLED]. INSTALLED is an
// AppImage, or the installer of an app on Windows. Prints what was offered, the log, and the path of
// the new file if there is an INSTALLED. FOLDER keeps the staging id.
const fs = require("node:fs")
const http = require("node:http")
const path = require("node:path")
const { createRequire } = require("node:module")

const load = createRequire(path.join(process.cwd(), "package.json"))
const { AppImageUpdater, NsisUpdater } = load("electron-updater")
const { HttpExecutor, configureRequestOptions, configureRequestUrl } = load("builder-util-runtime")

const [feed, folder, version, installed] = process.argv.slice(2)
const windows = installed !== undefined && installed.endsWith(".exe")
const log = []
const note = (...texts) => log.push(texts.join(" "))

// Executor does with Node what the executor of electron-updater does with Electron.
class Executor extends HttpExecutor {
  createRequest(options, callback) {
    return http.request(options, callback)
  }

  download(url, destination, options) {
    return options.cancellationToken.createPromise((resolve, reject, onCancel) => {
      const request = { headers: options.headers || undefined }
      configureRequestUrl(url, request)
      configureRequestOptions(request)
      const callback = error => (error == null ? resolve(destination) : reject(error))
      this.doDownload(request, { destination, options, onCancel, callback, responseHandler: null }, 0)
    })
  }
}

async function main() {
  const config = path.join(folder, "app-update.yml")
  fs.writeFileSync(config, `provider: generic\nurl: ${JSON.stringify(feed)}\nupdaterCacheDirName: demo\n`)
  process.env.APPIMAGE = installed || path.join(folder, "none")
  const cache = path.join(folder, "cache")
  const updater = new (windows ? NsisUpdater : AppImageUpdater)(null, {
    version, name: "Demo", isPackaged: true, appUpdateConfigPath: config, userDataPath: folder, baseCachePath: cache,
    whenReady: () => Promise.resolve(), relaunch() {}, quit() {}, onQuit() {},
  })
  if (windows) {
    // The installer of the running app is kept in the cache, and the feed has the name of Windows.
    fs.mkdirSync(path.join(cache, "demo"), { recursive: true })
    fs.copyFileSync(installed, path.join(cache, "demo", "installer.exe"))
    updater._testOnlyOptions = { platform: "win32", isUseDifferentialDownload: true }
  }
  updater.httpExecutor = new Executor()
  updater.autoDownload = false
  updater.logger = { info: note, warn: note, error: note, debug: note }
  const found = await updater.checkForUpdates()
  const result = { offered: found.updateInfo.version, available: found.isUpdateAvailable }
  if (installed && found.isUpdateAvailable) {
    result.file = (await updater.downloadUpdate())[0]
  }
  console.log(JSON.stringify({ ...result, log }))
}

main().catch(error => {
  console.error(error, log)
  process.exit(1)
})
