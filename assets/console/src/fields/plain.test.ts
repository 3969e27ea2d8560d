import { expect, test } from "vitest";
import { plainText } from "./plain";

test.each([
  ["Reads `notes.md` and **more**", "Reads notes.md and more"],
  ["# Notes\n\n- one\n- two", "Notes one two"],
  ["See [the docs](https://docs.example) _now_", "See the docs now"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["> quoted\n1. first", "quoted first"],
])("the marks of %j are left out", (markdown, text) => expect(plainText(markdown)).toBe(text));
