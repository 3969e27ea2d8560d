// Texts with variables such as {{ content }}.

/** Replaces the variables that have a value in `values`, in one pass. Other variables stay in the text. */
export function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{ *([a-z_0-9]+) *\}\}/g, (written, name: string) => (Object.hasOwn(values, name) ? values[name]! : written));
}

/** Reports whether a text still contains variables. */
export function hasVariables(text: string): boolean {
  return /\{\{ *[a-z_0-9]+ *\}\}/.test(text);
}
