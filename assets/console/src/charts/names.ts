// Names for the keys in the server's counts.

import { onMap } from "./countries";
import type { Place } from "./map";
import type { Words } from "./words";

export function platformName(platform: string, { texts }: Words): string {
  return texts.platforms[platform] ?? platform;
}

/** Returns the name of a region. A region is the letters of a country, the digits of a province, or unknown. */
export function regionName(region: string, { texts, format }: Words): string {
  return texts.regions[region] ?? texts.provinces[region] ?? (/^[A-Z]{2}$/.test(region) ? format.country(region) : region);
}

/** Converts counts by country to the values of the world map. */
export function countries(regions: readonly { region: string; count: number }[], words: Words): Place[] {
  return regions.map(({ region, count }) => ({ code: region, name: regionName(region, words), count, shown: onMap(region) }));
}

/** Converts counts by province to the values of the map of China. */
export function provinces(list: readonly { code: string; name: string; count: number }[], { texts }: Words): Place[] {
  return list.map(({ code, name, count }) => ({ code, name: texts.provinces[code] ?? name, count, shown: code in texts.provinces }));
}
