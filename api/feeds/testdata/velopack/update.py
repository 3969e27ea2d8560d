"""Updates an app with Velopack: update.py FEED FOLDER VERSION. Prints what was offered and downloaded."""

import json
import pathlib
import sys

import velopack

feed, folder, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
manifest = folder / "sq.version"
manifest.write_text(
    '<?xml version="1.0" encoding="utf-8"?><package><metadata><id>demo</id><title>Demo</title>'
    f"<version>{version}</version><channel>linux</channel><os>linux</os><mainExe>demo</mainExe></metadata></package>"
)
updater, packages = folder / "UpdateNix", folder / "packages"
updater.touch()
packages.mkdir(exist_ok=True)
locator = velopack.VelopackLocatorConfig(
    RootAppDir=folder, UpdateExePath=updater, PackagesDir=packages, ManifestPath=manifest, CurrentBinaryDir=folder, IsPortable=False
)
options = velopack.UpdateOptions(AllowVersionDowngrade=False, MaximumDeltasBeforeFallback=-1)
manager = velopack.UpdateManager(feed, options, locator)
found = manager.check_for_updates()
result = {"offered": None}
if found is not None:
    manager.download_updates(found)
    target = found.TargetFullRelease
    result = {"offered": target.Version, "notes": target.NotesMarkdown, "files": sorted(p.name for p in packages.glob("*.nupkg"))}
print(json.dumps(result))
