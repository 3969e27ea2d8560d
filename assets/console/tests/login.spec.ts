// Logging in, and later events of a login.

import type { Page } from "@playwright/test";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, open, test } from "./fixtures";
import { password, type Server, username } from "./server";

const refused = [/status of 401/];

async function logInAs(page: Page, secret = password): Promise<void> {
  await page.getByLabel("User name").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(secret);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

/**
 * Changes the password right before the server receives the next request with this method and path. If it
 * changed earlier, the page could be refused a request that it makes now and then, before the test acts.
 */
async function changePasswordBefore(page: Page, server: Server, method: string, path: string, changed: string): Promise<void> {
  let done = false;
  await page.route(`${server.url}/api/v1${path}`, async (route) => {
    if (route.request().method() === method && !done) {
      done = true;
      await server.call("PATCH", "/auth/password", { current_password: password, new_password: changed });
    }
    await route.continue();
  });
}

test("must show: user name, password; without a login a page leads here, and the login back to it", async ({ page, server }) => {
  await page.goto(`${server.url}/admin/tokens?q=ci`);
  await expect(page).toHaveURL(`${server.url}/login?returnTo=${encodeURIComponent("/admin/tokens?q=ci")}`);
  await expect(page).toHaveTitle("Log in · svc");
  await expectAccessible(page);
  await logInAs(page);
  await expect(page).toHaveURL(`${server.url}/admin/tokens?q=ci`);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});

test("first: an instance without a project leads to the first one", async ({ page, own }) => {
  await page.goto(`${own.url}/admin/analytics`);
  await logInAs(page);
  await expect(page.getByRole("heading", { level: 1, name: "Create your first project" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Name of the app" }).fill("My App");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${own.url}/admin?project=my-app`);
  await expect(page.getByText("Waiting for the first version…")).toBeVisible();
  await expectAccessible(page);
});

test.describe("a wrong password", () => {
  test.use({ expected: refused });

  test("must show: the error text of the server; what was typed stays", async ({ page, server }) => {
    await page.goto(`${server.url}/login`);
    await logInAs(page, "not the password");
    await expect(page.getByRole("alert")).not.toBeEmpty();
    await expect(page.getByLabel("User name")).toHaveValue(username);
    await logInAs(page);
    await expect(page).toHaveURL(/\/admin(\?project=.*)?$/);
  });
});

for (const elsewhere of [
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "https://evil.example/admin",
  "javascript:alert(1)",
  "/login?returnTo=//evil.example",
]) {
  test(`only a path of this site is followed, not ${JSON.stringify(elsewhere)}`, async ({ page, server }) => {
    await open(page, server, `/login?returnTo=${encodeURIComponent(elsewhere)}`);
    await expect(page).toHaveURL(/\/admin(\?project=.*)?$/);
  });
}

test("a visitor of the login who is logged in is led on", async ({ page, server }) => {
  await open(page, server, `/login?returnTo=${encodeURIComponent("/admin/about")}`);
  await expect(page).toHaveURL(`${server.url}/admin/about`);
});

test.describe("a login that ends while somebody types", () => {
  test.use({ expected: refused });

  test("is renewed over the page, and everything typed is still there", async ({ page, own }) => {
    const changed = "another long password";
    await open(page, own, "/admin/tokens?new=1");
    await page.getByRole("textbox", { name: "Name" }).fill("CI of the app");
    await page.getByRole("checkbox", { name: "Logs: read" }).check();
    await changePasswordBefore(page, own, "POST", "/auth/api-keys", changed);
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "Your login has expired" });
    await expect(dialog).toBeVisible();
    await expect(dialog.getByLabel("User name")).toHaveValue(username);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeVisible();
    await dialog.getByRole("textbox", { name: "Password" }).fill("wrong password");
    await dialog.getByRole("textbox", { name: "Password" }).press("Enter");
    await expect(dialog.getByText("wrong user name or password")).toBeVisible();
    await dialog.getByRole("textbox", { name: "Password" }).fill(changed);
    await dialog.getByRole("textbox", { name: "Password" }).press("Enter");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("CI of the app");
    await expect(page.getByRole("checkbox", { name: "Logs: read" })).toBeChecked();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Copy the key now")).toBeVisible();
  });

  test("can also be left for the login page, which leads back", async ({ page, own }) => {
    const changed = "another long password";
    await open(page, own, "/admin/about");
    await changePasswordBefore(page, own, "GET", "/auth/api-keys", changed);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Log in as another user" }).click();
    await expect(page).toHaveURL(`${own.url}/login?returnTo=${encodeURIComponent("/admin/tokens")}`);
    await logInAs(page, changed);
    await expect(page).toHaveURL(`${own.url}/admin/tokens`);
  });
});

test("log out ends the login in every tab, and nothing of it stays", async ({ page, context, server, project }) => {
  await open(page, server, `/admin/logs?project=${project}`);
  const other = await context.newPage();
  await other.goto(`${server.url}/admin/tokens`);
  await expect(other.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page).toHaveURL(/\/login\?returnTo=/);
  await expect(other).toHaveURL(/\/login\?returnTo=/);
  for (const tab of [page, other]) {
    expect(await tab.evaluate(() => [localStorage.getItem("svc.console.login"), document.cookie])).toEqual([null, ""]);
  }
  await page.goto(`${server.url}/admin/logs?project=${project}`);
  await expect(page).toHaveURL(/\/login\?returnTo=/);
});

test("a login in one tab is a login in all", async ({ page, context, server }) => {
  await page.goto(`${server.url}/admin/about`);
  const other = await context.newPage();
  await other.goto(`${server.url}/admin/tokens`);
  await logInAs(page);
  await expect(page).toHaveURL(`${server.url}/admin/about`);
  await expect(other).toHaveURL(`${server.url}/admin/tokens`);
});

for (const [what, methods] of [
  ["full", ["setItem"]],
  ["forbidden", ["setItem", "getItem", "removeItem"]],
] as const) {
  test(`storage that is ${what} keeps nobody out`, async ({ page, server }) => {
    await page.addInitScript((names) => {
      for (const name of names) {
        Storage.prototype[name] = () => {
          throw new DOMException("refused", "QuotaExceededError");
        };
      }
    }, methods);
    await page.goto(`${server.url}/login`);
    await logInAs(page);
    await expect(page.getByRole("heading", { level: 1, name: "Today" })).toBeVisible();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API keys" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
    await page.getByRole("button", { name: /^Theme/ }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
    await page.getByRole("button", { name: "Log out" }).click();
    await expect(page).toHaveURL(/\/login/);
  });
}

for (const days of [-2, 2]) {
  test(`a clock that is ${days} days off does not end the login`, async ({ page, server }) => {
    await page.clock.setSystemTime(Date.now() + days * 86_400_000);
    await page.goto(`${server.url}/admin/tokens`);
    await logInAs(page);
    await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
    await page.reload();
    await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  });
}

test("who is logged in already is led on, and a slow browser gives up no drawing while its texts come", async ({ page, server }) => {
  // Leave time between two steps of a render, in which the texts arrive.
  await page.addInitScript(() => {
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (...message: unknown[]) {
      setTimeout(() => {
        postMessage.apply(this, message as [unknown]);
        console.debug("step");
      }, 500);
    };
  });
  const step = page.waitForEvent("console", (message) => message.text() === "step");
  await page.route(/\/console\/shared[^/]*\.js$/, async (route) => {
    await step;
    await route.continue();
  });
  // The fixture fails if React abandons a render.
  await open(page, server, "/login", { language: "zh" });
  await expect(page).toHaveURL(/\/admin(\?project=.*)?$/);
  await expect(page.getByRole("heading", { level: 1, name: zh.frame.pages.overview })).toBeVisible();
});
