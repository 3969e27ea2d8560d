// The page About: the running version, and updates reported by another instance.

import { expect, expectAccessible, open, test } from "./fixtures";
import { Server } from "./server";

test("about: which build runs, that nobody is asked for updates, and the links", async ({ page, server }) => {
  await open(page, server, "/admin/about");
  const running = page.getByRole("region", { name: "This server" });
  await expect(running).toContainText("dev");
  await expect(running).toContainText(/go1\.\d+/);
  await expect(page.getByRole("region", { name: "Updates" })).toContainText(
    "Update checks are off. To switch them on, set about.upstream_url.",
  );
  await expect(page.getByRole("link", { name: "API reference" })).toHaveAttribute("href", "/doc");
  // The licences of all bundled packages, in one file of this server.
  const licences = await page.getByRole("link", { name: "Licences of bundled packages" }).getAttribute("href");
  const file = await page.request.get(new URL(licences ?? "", page.url()).href);
  expect(file.status()).toBe(200);
  for (const name of ["react", "@mantine/core", "echarts"]) expect(await file.text()).toContain(name);
  await expect(page.getByRole("link", { name: "Documentation" })).toHaveCount(0);
});

test("about: another server says what runs and what to install, and that it cannot be asked", async ({ page, own: publisher }) => {
  await publisher.call("POST", "/admin/projects", { project_key: "svc", name: "svc" });
  const publish = (version: string, body: object) => publisher.call("PUT", `/admin/projects/svc/versions/by-version/${version}`, body);
  await publish("dev", { comparable_version: "1.0.0", title: "Lanterns", published_at: 1_700_000_000 });
  const server = await Server.start(undefined, ["--about-upstream-url", publisher.url, "--about-docs-url", "https://docs.example/svc"]);
  try {
    await open(page, server, "/admin/about");
    const running = page.getByRole("region", { name: "This server" });
    const updates = page.getByRole("region", { name: "Updates" });
    await expect(running.getByRole("link", { name: "Lanterns" })).toHaveAttribute("href", `${publisher.url}/projects/svc?version=dev`);
    await expect(running).toContainText("2023");
    await expect(updates).toContainText("Up to date");
    await expect(page.getByRole("link", { name: "Documentation" })).toHaveAttribute("href", "https://docs.example/svc");
    await publisher.stop();
    // The result is kept: opening the page does not send another request.
    await page.reload();
    await expect(updates).toContainText("Up to date");
  } finally {
    await page.goto("about:blank");
    await server.remove();
  }
});

test("about: a required update with its reasons", async ({ page, own: publisher }) => {
  await publisher.call("POST", "/admin/projects", { project_key: "svc", name: "svc" });
  const publish = (version: string, body: object) => publisher.call("PUT", `/admin/projects/svc/versions/by-version/${version}`, body);
  await publish("1.1.0", { comparable_version: "1.1.0", title: "Beams", published_at: 1_700_000_000 });
  await publish("dev", { comparable_version: "1.0.0", is_deprecated: true, is_latest: false });
  const server = await Server.start(undefined, ["--about-upstream-url", publisher.url]);
  try {
    await open(page, server, "/admin/about");
    const updates = page.getByRole("region", { name: "Updates" });
    for (const text of ["An update is required", "1.1.0", "Beams", "There is a newer version.", "The running version is deprecated."]) {
      await expect(updates).toContainText(text);
    }
    await expectAccessible(page);
  } finally {
    await page.goto("about:blank");
    await server.remove();
  }
});

test("about: an instance that does not answer is said to, and asked again when somebody wants it", async ({ page, own: publisher }) => {
  await publisher.stop();
  const server = await Server.start(undefined, ["--about-upstream-url", publisher.url]);
  try {
    await open(page, server, "/admin/about");
    const updates = page.getByRole("region", { name: "Updates" });
    await expect(updates).toContainText(`${publisher.url} did not answer the update check`);
    await expect(updates).toContainText("the connection was refused");
    const asked = page.waitForRequest((request) => request.url().endsWith("/admin/about?refresh=true"));
    await page.getByRole("button", { name: "Check again" }).click();
    await asked;
    await expect(page.getByRole("button", { name: "Check again" })).toBeEnabled();
    await expect(updates).toContainText("the connection was refused");
  } finally {
    await page.goto("about:blank");
    await server.remove();
  }
});
