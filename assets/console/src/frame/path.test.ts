import { describe, expect, test } from "vitest";
import { safePath } from "./path";

const origin = "https://svc.example";

describe("paths of this site are followed", () => {
  test.each([
    ["/admin/logs?open=1#x", "/admin/logs?open=1#x"],
    ["/admin", "/admin"],
    ["/admin/files?search=%2F%2Fevil.example", "/admin/files?search=%2F%2Fevil.example"],
    ["/doc?q=%E6%97%A5", "/doc?q=%E6%97%A5"],
    ["/admin/../admin/logs", "/admin/logs"],
  ])("%s", (path, wanted) => expect(safePath(path, origin)).toBe(wanted));
});

describe("everything else leads to the overview", () => {
  test.each([
    undefined,
    "",
    "admin",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/.//evil.example",
    "/admin/..//evil.example",
    "https://evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "%2F%2Fevil.example",
    "%6aavascript:alert(1)",
    "@evil.example",
    "/login",
    "/login?returnTo=/login",
  ])("%j", (path) => expect(safePath(path, origin)).toBe("/admin"));
});
