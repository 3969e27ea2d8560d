// Texts of the server as sentences.

/**
 * Returns a text with a capital letter at the beginning, like a sentence. The name of a field, such
 * as project_key, stays unchanged.
 */
export function sentence(text: string): string {
  return /^[a-z]+(?![\w.[(:])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
