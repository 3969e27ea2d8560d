import { expect, test } from "vitest";
import { draftsOf, linksOf, platformOf } from "./downloads";

test.each([
  ["Acme-1.2.exe", "windows"],
  ["acme.MSI", "windows"],
  ["Acme.dmg", "macos"],
  ["acme_1.2_amd64.deb", "linux"],
  ["Acme-x86_64.AppImage", "linux"],
  ["acme.apk", "android"],
  ["acme.ipa", "ios"],
  ["acme-linux-amd64.tar.gz", "linux"],
  ["acme-win64.zip", "windows"],
  ["acme_darwin_arm64.zip", "macos"],
  ["winter.zip", ""],
  ["notes.txt", ""],
])("%s is for %j", (filename, platform) => {
  expect(platformOf(filename)).toBe(platform);
});

test("links are sent without empty lines", () => {
  expect(
    linksOf([
      { url: " https://a.example/x ", name: "", platform: " linux " },
      { url: "", name: "", platform: " " },
      { url: "", name: "forgotten", platform: "" },
    ]),
  ).toEqual([
    { url: "https://a.example/x", name: null, platform: "linux" },
    { url: "", name: "forgotten", platform: null },
  ]);
});

test("what a link does not say is blank while it is edited", () => {
  expect(draftsOf([{ url: "https://a.example/x" }])).toEqual([{ url: "https://a.example/x", name: "", platform: "" }]);
});
