// Names of values that the server counts by.

import { onMap } from "./countries";
import type { Place } from "./map";
import type { Words } from "./words";

export function platformName(platform: string, { texts }: Words): string {
  return texts.platforms[platform] ?? platform;
}

/** The name of a country by its letters, of a province by its digits, or of what is no place. */
export function regionName(region: string, { texts, format }: Words): string {
  return texts.regions[region] ?? texts.provinces[region] ?? (/^[A-Z]{2}$/.test(region) ? format.country(region) : region);
}

/** Countries for the map of the world. */
export function countries(regions: readonly { region: string; count: number }[], words: Words): Place[] {
  return regions.map(({ region, count }) => ({ code: region, name: regionName(region, words), count, shown: onMap(region) }));
}

/** Provinces for the map of China. */
export function provinces(list: readonly { code: string; name: string; count: number }[], { texts }: Words): Place[] {
  return list.map(({ code, name, count }) => ({ code, name: texts.provinces[code] ?? name, count, shown: code in texts.provinces }));
}
