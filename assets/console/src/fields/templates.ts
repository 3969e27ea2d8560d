// Texts with variables such as {{ content }}.

/** Replaces variables whose values are known, in one pass; others stay as written. */
export function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{ *([a-z_0-9]+) *\}\}/g, (written, name: string) => (Object.hasOwn(values, name) ? values[name]! : written));
}

/** Whether a text still has variables in it. */
export function hasVariables(text: string): boolean {
  return /\{\{ *[a-z_0-9]+ *\}\}/.test(text);
}
