// The one place where HTML that the server rendered becomes elements.

interface Policy {
  createHTML(html: string): string;
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;

// The Content-Security-Policy allows this policy by name and no other.
const policy = factory?.createPolicy("svc", { createHTML: (html) => html });

/**
 * Shows HTML of the server's Markdown renderer, which has sanitised it. Pictures load when they
 * come into view and do not tell where they are shown; links open apart from the console.
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
