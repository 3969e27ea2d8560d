import { Fieldset, SimpleGrid, Text } from "@mantine/core";
import { useTexts } from "../core/texts";
import { isAbove } from "./comparable";
import type { TextProps } from "./field";
import classes from "./fields.module.css";
import { VersionField } from "./version";

/**
 * Two fields for the lowest and the highest comparable version of a range, both inclusive. A blank
 * field means no limit.
 */
export function RangeField({ label, description, min, max }: { label: string; description?: string; min: TextProps; max: TextProps }) {
  const { fields } = useTexts();
  const reversed = isAbove(min.value, max.value) ? fields.range.reversed : undefined;
  return (
    <Fieldset legend={label} variant="unstyled" className={classes.group}>
      {description && (
        <Text size="xs" c="dimmed" mb={4}>
          {description}
        </Text>
      )}
      <SimpleGrid cols={2} spacing="xs">
        <VersionField label={fields.range.min} placeholder={fields.range.unbounded} {...min} />
        <VersionField label={fields.range.max} placeholder={fields.range.unbounded} {...max} error={max.error ?? reversed} />
      </SimpleGrid>
    </Fieldset>
  );
}

/** Returns a function that describes a range, as in "1.0 – 1.9", "from 1.0" or "all versions". */
export function useRangeText(): (min: string | null, max: string | null) => string {
  const { range } = useTexts().fields;
  return (min, max) => (min && max ? `${min} – ${max}` : min ? range.from(min) : max ? range.upTo(max) : range.any);
}
