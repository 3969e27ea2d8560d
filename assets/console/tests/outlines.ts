// The outlines of fields, which axe does not check.

import { expect, type Page } from "@playwright/test";

/**
 * Fails for each enabled field of the console whose outline has a contrast of less than 3:1 to the
 * surface around it or to its own (WCAG 1.4.11). The track of a switch counts as its outline.
 */
export async function expectOutlines(page: Page): Promise<void> {
  const faint = await page.evaluate(() => {
    if (!("mantineColorScheme" in document.documentElement.dataset)) {
      return [];
    }
    type Color = [red: number, green: number, blue: number, alpha: number];
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
    const parse = (color: string): Color => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data] as Color;
    };
    const luminance = (color: Color) => {
      const [red, green, blue] = color.slice(0, 3).map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one: Color, other: Color) => {
      const [a, b] = [luminance(one), luminance(other)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const surface = (element: Element | null): Color => {
      for (let outer = element; outer; outer = outer.parentElement) {
        const color = parse(getComputedStyle(outer).backgroundColor);
        if (color[3] === 255) {
          return color;
        }
      }
      return [255, 255, 255, 255];
    };
    const outlined =
      ".mantine-Input-wrapper[data-variant=default] > .mantine-Input-input, .mantine-Checkbox-input:not(:checked, [data-indeterminate]), " +
      ".mantine-Radio-radio:not(:checked), .cm-editor, .mantine-Switch-input:not(:checked) + .mantine-Switch-track";
    const disabled = ":disabled, [data-disabled], :disabled + *, [data-disabled] *";
    return [...document.querySelectorAll(outlined)]
      .filter((field) => field.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !field.matches(disabled))
      .flatMap((field) => {
        const { borderTopColor, backgroundColor } = getComputedStyle(field);
        const isTrack = field.matches(".mantine-Switch-track");
        const outline = parse(isTrack ? backgroundColor : borderTopColor);
        const beside = [surface(field.parentElement), ...(isTrack ? [] : [surface(field)])];
        const least = Math.min(...beside.map((color) => contrast(outline, color)));
        return least < 3 ? [`${least.toFixed(2)}: ${field.outerHTML.slice(0, 200)}`] : [];
      });
  });
  expect.soft(faint, page.url()).toEqual([]);
}
