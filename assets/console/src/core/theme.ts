// Colours, type and spacing of the console: one accent colour, one type scale, a grid of 4 px.

import type {
  BadgeFactory,
  CSSVariablesResolver,
  ExtendComponent,
  MantineColorScheme,
  MantineColorSchemeManager,
  MantineColorsTuple,
} from "@mantine/core";
import { createTheme } from "@mantine/core";
import { recall, remember, watch } from "./storage";

const accent: MantineColorsTuple = [
  "#eaf2ff",
  "#d3e2fb",
  "#a6c3f5",
  "#76a3ef",
  "#4e87ea",
  "#3475e7",
  "#1c64d1",
  "#1658bd",
  "#0e4ca6",
  "#053f8e",
];

// Mantine's red is too light as a background of white text.
const red: MantineColorsTuple = [
  "#fff5f5",
  "#ffe3e3",
  "#ffc9c9",
  "#ffa8a8",
  "#ff8787",
  "#f03e3e",
  "#c92a2a",
  "#b02525",
  "#9b2020",
  "#861c1c",
];

// The blue-black surfaces of the public pages.
const dark: MantineColorsTuple = [
  "#d5dae2",
  "#b3bbc7",
  "#8d97a5",
  "#5c6675",
  "#333a46",
  "#222831",
  "#181c23",
  "#101318",
  "#0c0f13",
  "#080a0d",
];

const options = { withScrollArea: false, classNames: { options: "options" } };

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: 6,
  autoContrast: true,
  colors: { accent, dark, red },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "SF Mono", Menlo, Consolas, monospace, "Noto Sans Mono CJK SC"',
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Underline links, because colour alone does not distinguish them from the text around them.
    Anchor: { defaultProps: { underline: "always" } },
    Badge: {
      defaultProps: { variant: "light", tt: "none", fw: 500 },
      vars: (_theme, { color = "accent", variant }) => ({
        root:
          variant === "light"
            ? {
                "--badge-color": `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9), black 30%), var(--mantine-color-${color}-light-color))`,
              }
            : {},
      }),
    } satisfies ExtendComponent<BadgeFactory>,
    // Render popovers inside the content of the page, to which they belong.
    Popover: { defaultProps: { portalProps: { target: "#content" } } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // The list scrolls as a whole. A scrolling element inside of it would have to be reachable by
    // keyboard.
    Select: { defaultProps: options },
    MultiSelect: { defaultProps: options },
    Autocomplete: { defaultProps: options },
    TagsInput: { defaultProps: options },
    // Without this role, the heading of a dialog would count as a banner of the page.
    Modal: { defaultProps: { attributes: { header: { role: "presentation" } } } },
    Drawer: { defaultProps: { attributes: { header: { role: "presentation" } } } },
  },
});

/** Colours of text with a contrast of at least 4.5:1, and of outlines of fields with one of at least 3:1. */
export const colours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5b636b",
    "--mantine-color-placeholder": "#68717a",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-red-filled-hover": "#b02525",
    "--mantine-color-anchor": "#1658bd",
    "--mantine-color-yellow-light-color": "#744300",
    "--field-border": "#737b84",
  },
  dark: {
    "--mantine-color-dimmed": "#a9adb3",
    "--mantine-color-placeholder": "#9ba0a6",
    "--mantine-color-error": "#ff8787",
    // The red of menu entries.
    "--mantine-color-red-6": "#ff8787",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-red-filled-hover": "#b02525",
    "--mantine-color-anchor": "#85adf1",
    "--field-border": "#6d7786",
    // Mantine's is the colour of our surfaces.
    "--mantine-color-gray-light": "#2a313b",
  },
});

const key = "theme";

function chosen(initial: MantineColorScheme): MantineColorScheme {
  const text = recall(key);
  return text === "light" || text === "dark" || text === "auto" ? text : initial;
}

let unwatch: (() => void) | undefined;

/** Remembers the colour scheme, shared by all tabs. */
export const schemes: MantineColorSchemeManager = {
  get: chosen,
  set(scheme) {
    // When another tab reports a change, Mantine sets the same value again here. Without this
    // check, the tabs would notify each other without end.
    if (recall(key) !== scheme) {
      remember(key, scheme);
    }
  },
  subscribe(onUpdate) {
    unwatch?.();
    unwatch = watch(key, () => onUpdate(chosen("auto")));
  },
  unsubscribe() {
    unwatch?.();
    unwatch = undefined;
  },
  clear: () => remember(key, null),
};
