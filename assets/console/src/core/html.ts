// The only place where HTML rendered by the server becomes elements.

interface Policy {
  createHTML(html: string): string;
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;

// The Content-Security-Policy allows only this policy, by name.
const policy = factory?.createPolicy("svc", { createHTML: (html) => html });

/**
 * Shows HTML from the server's Markdown renderer, which has sanitized it. Pictures are loaded when
 * they scroll into view and without a referrer; links open in a new tab without access to the
 * console.
 */
export function showHtml(element: HTMLElement, html: string): void {
  const template = document.createElement("template");
  template.innerHTML = policy?.createHTML(html) ?? html;
  for (const image of template.content.querySelectorAll("img")) {
    image.loading = "lazy";
    image.decoding = "async";
    image.referrerPolicy = "no-referrer";
  }
  for (const link of template.content.querySelectorAll("a[href]")) {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener noreferrer");
  }
  element.replaceChildren(template.content);
}
