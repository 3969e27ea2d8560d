import { expect, test } from "vitest";
import { requestAddress } from "./requestaddress";

test("the address ends as the protocol wants it", () => {
  expect(requestAddress("openai", " https://api.example/v1// ")).toBe("https://api.example/v1/chat/completions");
  expect(requestAddress("anthropic", "https://api.example")).toBe("https://api.example/v1/messages");
  expect(requestAddress("openai", "  ")).toBeNull();
});
