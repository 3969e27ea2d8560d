// Names for the keys in the server's counts.

import { onMap } from "./countries";
import type { Place } from "./map";
import type { Words } from "./words";

export function platformName(platform: string, { texts }: Words): string {
  return texts.platforms[platform] ?? platform;
}

/** The name of a country, given its letters, of a province, given its digits, or of an unknown region. */
export function regionName(region: string, { texts, format }: Words): string {
  return texts.regions[region] ?? texts.provinces[region] ?? (/^[A-Z]{2}$/.test(region) ? format.country(region) : region);
}

/** Counts of countries for the world map. */
export function countries(regions: readonly { region: string; count: number }[], words: Words): Place[] {
  return regions.map(({ region, count }) => ({ code: region, name: regionName(region, words), count, shown: onMap(region) }));
}

/** Counts of provinces for the map of China. */
export function provinces(list: readonly { code: string; name: string; count: number }[], { texts }: Words): Place[] {
  return list.map(({ code, name, count }) => ({ code, name: texts.provinces[code] ?? name, count, shown: code in texts.provinces }));
}
