// Texts of the server as sentences.

/** A text that begins like a sentence. Names of fields, such as project_key, stay as they are. */
export function sentence(text: string): string {
  return /^[a-z]+(?![\w.[(:])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
