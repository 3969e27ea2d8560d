// What the two files for web pages export.

export * from "../typescript/src/exports.js";
export { SvcClient, SvcSDK } from "../typescript/src/browser.js";
