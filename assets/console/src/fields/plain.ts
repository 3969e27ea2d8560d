/** Returns the text of a piece of Markdown as one line, without its marks. It is for cells of tables. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, "")
    .replaceAll(/`+|\*\*|__|~~/g, "")
    .replaceAll(/(^|\W)[*_]([^*_\s][^*_]*)[*_](?=\W|$)/g, "$1$2")
    .replaceAll(/\s+/g, " ")
    .trim();
}
