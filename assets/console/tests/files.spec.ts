// The required content and actions of the page Files.

import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectEachAccessible, inEachWay, open, test } from "./fixtures";
import { phone, pointer } from "./hand";
import type { Server } from "./server";

interface StoredFile {
  id: string;
  filename: string;
  size: number;
  path: string;
  status: string;
}

async function uploadText(server: Server, project: string, name: string, text: string): Promise<StoredFile> {
  const response = await fetch(`${server.url}/api/v1/admin/projects/${project}/files?filename=${name}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${await server.login()}` },
    body: text,
  });
  expect(response.status).toBe(201);
  return (await response.json()) as StoredFile;
}

async function filesOf(server: Server, project: string): Promise<StoredFile[]> {
  return (await server.call<{ data: StoredFile[] }>("GET", `/admin/projects/${project}/files`)).data;
}

/** Drops a file of zeros onto the middle of the page. */
async function drop(page: Page, name: string, size: number, sign = "Drop the files to upload them"): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, size]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(size)], name));
      return transfer;
    },
    [name, size] as const,
  );
  await page.getByRole("heading", { level: 1 }).dispatchEvent("dragenter", { dataTransfer: data });
  await expect(page.getByText(sign)).toBeVisible();
  await page.getByRole("heading", { level: 1 }).dispatchEvent("drop", { dataTransfer: data });
}

test("a long name of a file is cut in its middle: its end says which one it is", async ({ page, server, project }) => {
  const names = ["arm64.dmg", "x64.dmg"].map((end) => `quillmere-with-a-very-long-name-4.3.1-for-macos-${end}`);
  for (const name of names) {
    await uploadText(server, project, name, "x");
  }
  await open(page, server, `/admin/files?project=${project}`, { phone: true });
  for (const name of names) {
    const link = page.getByRole("link", { name });
    const end = link.getByText(name.slice(-16), { exact: true });
    const [area, box] = [(await link.boundingBox())!, (await end.boundingBox())!];
    expect(box.x + box.width).toBeLessThanOrEqual(area.x + area.width + 1);
    expect(box.width).toBeGreaterThan(60);
  }
});

test("no letters are missing between the halves of a long name, whatever its width", async ({ page, context, server, project }) => {
  const names = ["windows-x64.zip", "linux-x64.tar.gz", "macos-universal.zip"].map((end) => `quillmere-4.3.1-${end}`);
  for (const name of names) {
    await uploadText(server, project, name, "x");
  }
  await open(page, server, `/admin/files?project=${project}`, { phone: true });
  const blank = await context.newPage();
  for (const width of [320, 327, 334, 375, 800]) {
    await page.setViewportSize({ width, height: 812 });
    for (const name of names) {
      const shown = page.getByRole("link", { name }).locator("[aria-hidden=true]").last();
      const gap = async () => widestGap(blank, (await shown.screenshot()).toString("base64"));
      await expect.poll(gap, `${name} at ${width} px`).toBeLessThanOrEqual(6);
    }
  }
});

/** Returns the largest number of columns without ink between two columns with ink in a picture of text. */
async function widestGap(page: Page, picture: string): Promise<number> {
  return page.evaluate(async (picture) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d")!;
    pen.drawImage(image, 0, 0);
    const { data, width, height } = pen.getImageData(0, 0, image.width, image.height);
    const inked = Array.from({ length: width }, (_, x) => x).filter((x) =>
      Array.from({ length: height }, (_, y) => data[4 * (y * width + x)]!).some((red) => red < 225),
    );
    return Math.max(...inked.slice(1).map((x, at) => x - inked[at]! - 1));
  }, picture);
}

test("files: name with source, status, size, link, versions, storage, time; the rest when it is chosen", async ({
  page,
  server,
  project,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const file = await uploadText(server, project, "setup.exe", "program");
  const link = server.url + file.path;
  await server.call("POST", `/admin/projects/${project}/versions`, { version: "2.5.0", comparable_version: "2.5.0", download_url: link });
  await open(page, server, `/admin/files?project=${project}`);
  const row = page.locator("tbody tr");
  for (const text of ["setup.exe", "Ready", "7 B", "2.5.0", "Local"]) {
    await expect(row).toContainText(text);
  }
  await expect(row.getByRole("img", { name: "Upload" })).toBeVisible();
  await expect(row.getByRole("link", { name: "Open: setup.exe" })).toHaveAttribute("href", link);
  await row.getByRole("button", { name: "Copy link" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await expect(page.getByText("No distribution address is set")).toBeVisible();
  await page.getByRole("button", { name: "Columns" }).click();
  for (const name of ["Error", "SHA-256", "Content type", "Source", "ID"]) {
    const item = page.getByRole("menuitemcheckbox", { name, exact: true });
    await expect(item).not.toBeChecked();
    await item.click();
    await expect(page.getByRole("columnheader", { name, exact: true })).toBeAttached();
  }
});

test("files: several are picked; what is empty is marked and skipped; all go to the storage that is chosen", async ({
  page,
  server,
  project,
}) => {
  await open(page, server, `/admin/files?project=${project}`);
  await expect(page.getByRole("heading", { name: "No files yet" })).toBeVisible();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Upload files" });
  const choosing = page.waitForEvent("filechooser");
  await dialog.getByRole("button", { name: "Choose files" }).click();
  await (await choosing).setFiles([
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") },
    { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
    { name: "安装包.zip", mimeType: "application/zip", buffer: Buffer.from("zip") },
  ]);
  await expect(dialog.getByRole("listitem").filter({ hasText: "empty.txt" })).toContainText("Empty, skipped");
  await dialog.getByRole("combobox", { name: "Storage" }).click();
  await page.getByRole("option", { name: "Local" }).click();
  await dialog.getByRole("button", { name: "Upload 2 files" }).click();
  await expect(page.locator("tbody tr")).toHaveCount(2);
  await expect(page.getByRole("region", { name: "Uploads" }).getByText("Done", { exact: true })).toHaveCount(2);
  await page.getByRole("button", { name: "Clear completed" }).click();
  await expect(page.getByRole("region", { name: "Uploads" })).toBeHidden();
  expect((await filesOf(server, project)).map(({ filename }) => filename).sort()).toEqual(["notes.txt", "安装包.zip"]);
});

test("files: without an address for downloads the page says so, and leads to it; in an empty library, too", async ({
  page,
  server,
  project,
}) => {
  await open(page, server, `/admin/files?project=${project}`);
  await expect(page.getByText(en.files.empty.title)).toBeVisible();
  await expect(page.getByText(en.files.noAddress.title)).toBeVisible();
  await page.getByRole("link", { name: en.files.noAddress.more }).click();
  await expect(page).toHaveURL(/\/admin\/settings\/storage/);
});

test("files: filter by status, search, delete with the versions that link to it", async ({ page, server, project }) => {
  const file = await uploadText(server, project, "setup.exe", "program");
  await uploadText(server, project, "notes.txt", "notes");
  await server.call("POST", `/admin/projects/${project}/versions`, {
    version: "2.5.0",
    comparable_version: "2.5.0",
    download_url: server.url + file.path,
  });
  await open(page, server, `/admin/files?project=${project}`);
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(2);
  await page.getByRole("search").getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Failed" }).click();
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
  await page.getByRole("search").getByRole("button", { name: "Reset", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search" }).fill("setup");
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "More actions: setup.exe" }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Copy link", "Open", "Delete"]);
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Version 2.5.0 links to it.");
  await expect(dialog).toContainText("A CDN or browser may still serve its copy until it expires.");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Nothing matches these filters.")).toBeVisible();
  expect((await fetch(server.url + file.path)).status).toBe(404);
});

test("files: what is pending is looked at again by itself, and what failed says why and is tried again", async ({ page, own: server }) => {
  const project = "far";
  await server.call("POST", "/admin/projects", { project_key: project, name: "Far" });
  const { id } = await server.call<{ id: string }>("POST", "/admin/storage/backends", {
    name: "Nowhere",
    kind: "webdav",
    base_url: "http://127.0.0.1:9/dav",
  });
  await server.call("PATCH", `/admin/projects/${project}`, { storage_backend_id: id });
  await open(page, server, `/admin/files?project=${project}`);
  await drop(page, "setup.exe", 10);
  await page.getByRole("button", { name: "Upload 1 file" }).click();
  const row = page.locator("tbody tr");
  await expect(row).toContainText("Nowhere");
  await expect(row).toContainText("Failed", { timeout: 30_000 });
  await page.getByRole("link", { name: "setup.exe" }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer).toContainText("the connection was refused");
  await drawer.getByRole("button", { name: /More actions/ }).click();
  await page.getByRole("menuitem", { name: "Retry" }).click();
  await expect(page.getByText("Retrying setup.exe")).toBeVisible();
});

test.describe("task 10", () => {
  test.use({ expected: [/Failed to load resource|ERR_/] });

  inEachWay([pointer, phone], () => {
    test("an installer is dropped anywhere, or chosen on a phone; the network is lost in the middle; the upload goes on, and its link is copied", async ({
      page,
      hand,
      server,
      project,
      context,
    }, info) => {
      const { files, frame } = hand.t;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      const chunk = 8 * 1024 * 1024;
      const size = 2 * chunk + 5;
      const arrived: string[] = [];
      page.on("response", (response) => {
        const index = /\/chunks\/(\d+)$/.exec(response.url())?.[1];
        if (index !== undefined && response.ok()) {
          arrived.push(index);
        }
      });
      const second = /\/chunks\/1$/;
      await page.route(second, async (route) => {
        await context.setOffline(true);
        await route.abort("connectionfailed");
        await page.unroute(second);
      });
      await hand.open(server, `/admin/files?project=${project}`);
      const dialog = page.getByRole("dialog", { name: files.upload.title });
      if (hand.way.phone) {
        await hand.press(page.getByRole("button", { name: files.upload.button, exact: true }));
        const choosing = page.waitForEvent("filechooser");
        await hand.press(dialog.getByRole("button", { name: files.upload.choose, exact: true }));
        const installer = info.outputPath("setup-3.0.dmg");
        writeFileSync(installer, Buffer.alloc(size));
        await (await choosing).setFiles(installer);
      } else {
        await drop(page, "setup-3.0.dmg", size);
      }
      await hand.press(dialog.getByRole("button", { name: files.upload.start(1) }));
      const uploads = page.getByRole("region", { name: files.upload.running });
      await expect(uploads).toContainText(files.upload.progress("8 MiB", "16 MiB"));
      await expect(uploads).toContainText(files.upload.states.interrupted);
      await expect(page.getByText(frame.lost)).toBeVisible();
      expect(arrived).toEqual(["0"]);

      await context.setOffline(false);
      // Visit another page during the upload.
      await hand.go("logs");
      await expect(page.getByRole("heading", { level: 1, name: frame.pages.logs })).toBeVisible();
      await hand.go("files");
      await expect(uploads).toContainText(files.upload.states.done);
      await expect(page.getByText(frame.lost)).toBeHidden();
      expect(arrived).toEqual(["0", "1", "2"]);
      if (hand.way.phone) {
        await hand.menu(page.getByRole("button", { name: hand.t.common.labelled(hand.t.common.more, "setup-3.0.dmg") }), files.copyLink);
      } else {
        await hand.press(page.getByRole("button", { name: files.copyLink, exact: true }));
      }
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("setup-3.0.dmg");
      const answer = await fetch(await page.evaluate(() => navigator.clipboard.readText()));
      expect((await answer.arrayBuffer()).byteLength).toBe(size);
    });
  });

  for (const [when, request] of [
    ["while it is begun", /\/uploads$/],
    ["while a chunk is sent", /\/chunks\/1$/],
    ["while it is completed", /\/complete$/],
  ] as const) {
    test(`an upload that is cancelled ${when} leaves nothing behind`, async ({ page, server, project }) => {
      const reached = new Promise<() => void>((resolve) => {
        void page.route(request, async (route) => {
          if (route.request().method() === "GET") {
            return route.continue();
          }
          // The server has finished already when the upload is cancelled, but its answer has not arrived.
          const response = await route.fetch();
          await new Promise<void>((answer) => resolve(answer));
          // A request that the page has aborted cannot be answered.
          await route.fulfill({ response }).catch(() => undefined);
        });
      });
      await open(page, server, `/admin/files?project=${project}`);
      await drop(page, "setup.exe", 9 * 1024 * 1024);
      await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click();
      const answer = await reached;
      const thrownAway = page.waitForResponse((response) => response.request().method() === "DELETE");
      await page.getByRole("button", { name: "Cancel setup.exe" }).click();
      answer();
      expect((await thrownAway).status()).toBe(200);
      await expect(page.getByRole("region", { name: "Uploads" })).toBeHidden();
      expect(await filesOf(server, project)).toEqual([]);
      await expect(page.getByRole("heading", { name: "No files yet" })).toBeVisible();
    });
  }

  test("a part that fails is sent again three times, after 0.5, 1 and 2 seconds", async ({ page, server, project }) => {
    const times: number[] = [];
    await page.route(/\/chunks\/0$/, async (route) => {
      times.push(Date.now());
      await (times.length <= 3 ? route.abort("connectionreset") : route.continue());
    });
    await open(page, server, `/admin/files?project=${project}`);
    await drop(page, "setup.exe", 1000);
    await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click();
    await expect(page.getByRole("region", { name: "Uploads" }).getByText("Done", { exact: true })).toBeVisible();
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    expect(pauses).toHaveLength(3);
    for (const [i, least] of [500, 1000, 2000].entries()) {
      expect(pauses[i]).toBeGreaterThan(least - 20);
    }
  });

  test("what the server refuses is not sent again, and says why", async ({ page, server, project }) => {
    let times = 0;
    await page.route(/\/chunks\/0$/, async (route) => {
      times++;
      await route.continue({ postData: "too short" });
    });
    await open(page, server, `/admin/files?project=${project}`);
    await drop(page, "setup.exe", 1000);
    await page.getByRole("dialog").getByRole("button", { name: "Upload 1 file" }).click();
    const uploads = page.getByRole("region", { name: "Uploads" });
    await expect(uploads.getByRole("alert")).toContainText("bytes");
    expect(times).toBe(1);
    await page.unroute(/\/chunks\/0$/);
    await uploads.getByRole("button", { name: "Retry" }).click();
    await expect(uploads).toContainText("Done");
  });
});

test("files: uploads that are not complete are listed with who began them, and ended", async ({ page, server, project }) => {
  const path = `/admin/projects/${project}/files/uploads`;
  const { key } = await server
    .call<{ token: string }>("POST", "/auth/api-keys", { name: "Build machine", scopes: ["files:write"] })
    .then(({ token }) => ({ key: token }));
  const begin = (filename: string, size: number, credential?: string) =>
    server.call<{ upload_id: string; chunk_size: number }>("POST", path, { filename, size }, credential);
  const session = await begin("installer.exe", 12 << 20, key);
  await begin("notes.txt", 5);
  const chunk = await fetch(`${server.url}/api/v1${path}/${session.upload_id}/chunks/0`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" },
    body: new Uint8Array(session.chunk_size),
  });
  expect(chunk.status).toBe(200);
  await open(page, server, `/admin/files?project=${project}`);
  const list = page.getByRole("region", { name: "Open uploads" });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  const installer = list.getByRole("listitem").filter({ hasText: "installer.exe" });
  for (const text of ["By Build machine", new Date().getFullYear().toString(), `${session.chunk_size / 2 ** 20} MiB of 12 MiB`]) {
    await expect(installer).toContainText(text);
  }
  await expect(list.getByRole("listitem").filter({ hasText: "notes.txt" })).toContainText("By administrator");
  await expectAccessible(page);
  await installer.getByRole("button", { name: "End upload" }).click();
  const question = page.getByRole("dialog", { name: "End the upload of “installer.exe”?" });
  await question.getByRole("button", { name: "End upload" }).click();
  await expect(page.getByText("The upload of installer.exe was ended")).toBeVisible();
  await expect(list.getByRole("listitem")).toHaveCount(1);
  const { data } = await server.call<{ data: { filename: string }[] }>("GET", path);
  expect(data.map(({ filename }) => filename)).toEqual(["notes.txt"]);
});

test("the page of files is accessible: list, menus, drawer, dialogs, uploads", async ({ page, server, project }) => {
  const { files, common } = zh;
  const { id } = await uploadText(server, project, "setup.exe", "program");
  await open(page, server, `/admin/files?project=${project}`, { language: "zh" });
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await expectAccessible(page);
  await expectEachAccessible(page, [
    page.getByRole("button", { name: common.columns }),
    page.getByRole("search").getByRole("combobox", { name: files.status }),
    page.getByRole("button", { name: common.labelled(common.more, "setup.exe") }),
    "help=1",
    `open=${id}`,
    `delete=${id}`,
  ]);
  await drop(page, "notes.txt", 4, files.upload.dropAnywhere);
  await expectAccessible(page);
  await page.getByRole("button", { name: files.upload.start(1) }).click();
  await expect(page.getByRole("region", { name: files.upload.running })).toContainText(files.upload.states.done);
  await expectAccessible(page);
});
