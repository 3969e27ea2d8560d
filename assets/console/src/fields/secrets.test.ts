import { expect, test } from "vitest";
import { basicCredentials, maskOf, randomSecret } from "./secrets";

test("a mask is as long as the secret and ends with what is known of it", () => {
  expect(maskOf(20, "abcdef")).toBe("**************abcdef");
  expect(maskOf(6, null)).toBe("******");
  expect(maskOf(3, "abcdef")).toBe("abcdef");
  expect(maskOf(null, null)).toBeNull();
});

test("random secrets have the form of the server's, and differ", () => {
  expect(randomSecret()).toMatch(/^whsec_[0-9a-f]{48}$/);
  expect(randomSecret()).not.toBe(randomSecret());
});

test("credentials are Base64 of UTF-8", () => {
  expect(basicCredentials("Aladdin", "open sesame")).toBe("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  expect(basicCredentials("用户", "密码")).toBe(`Basic ${Buffer.from("用户:密码").toString("base64")}`);
});
