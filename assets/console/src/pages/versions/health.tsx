// The health of a rollout: what each rule says in words, and the failing users of the version beside
// those of its baseline over time.

import { List, Select, Stack } from "@mantine/core";
import { useState } from "react";
import type { RolloutHealth, RolloutHealthRule } from "svc-sdk";
import type { Asked } from "../../charts/figure";
import { Figure } from "../../charts/figure";
import { trend } from "../../charts/trend";
import { textParam, useParams } from "../../core/address";
import { useFormat } from "../../core/format";
import { zoneOffset } from "../../core/range";
import { Room } from "../../core/room";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { baselineOf, failures } from "./failures";

const params = { rule: textParam };

const tones: Record<string, ToneName> = { failing: "bad", suspect: "warning", healthy: "good" };

const ranks = ["no_baseline", "no_data", "healthy", "suspect", "failing"];

/** Returns the rule in the worst state. */
const worst = (rules: readonly RolloutHealthRule[]) => [...rules].sort((a, b) => ranks.indexOf(b.state) - ranks.indexOf(a.state))[0];

export function Health({ version, query }: { version: string; query: Asked<RolloutHealth> }) {
  const { rollouts } = useTexts();
  const texts = rollouts.health;
  const [{ rule: asked }, change] = useParams(params);
  const rules = query.data?.rules ?? [];
  const rule = rules.find(({ name }) => name === asked) ?? worst(rules);
  return (
    <Stack gap="sm">
      <List listStyleType="none" spacing={6} aria-label={texts.rules}>
        {rules.map((one) => (
          <List.Item key={one.name}>
            <Tone tone={tones[one.state]}>{texts.states[one.state] ?? one.state}</Tone> <strong>{one.name}</strong>
            {one.action === "notify" ? texts.findsOnly : texts.finds}
            <Words {...{ version, rule: one }} baseline={query.data?.baseline_version ?? ""} />
          </List.Item>
        ))}
      </List>
      <Figure
        id="release-health"
        title={texts.title}
        definition={texts.definition}
        query={query}
        deps={[rule?.name]}
        height={220}
        legend
        none={rule?.series.length ? texts.nobody : texts.none}
        {...(rules.length > 1 && {
          controls: (
            <Select
              size="xs"
              aria-label={texts.rule}
              allowDeselect={false}
              data={rules.map(({ name }) => name)}
              value={rule?.name ?? null}
              onChange={(name) => change({ rule: name ?? "" }, { replace: true })}
            />
          ),
        })}
        draw={({ baseline_version: baseline, bucket_seconds: width }, words) => {
          const { times, shares, others } = failures(rule?.series ?? [], width);
          return trend(
            {
              buckets: times,
              granularity: "hour",
              offset: zoneOffset(),
              // Only buckets that have ended are counted.
              now: Number.POSITIVE_INFINITY,
              series: [{ name: version, values: shares }, ...(baseline ? [{ name: baseline, rest: true, values: others }] : [])],
              measure: texts.share,
              percent: true,
            },
            words,
          );
        }}
      />
    </Stack>
  );
}

interface Found {
  version: string;
  baseline: string;
  rule: RolloutHealthRule;
}

/**
 * What a rule found, as sentences. They keep the room of the longest ones so far, because a rollout
 * that goes on begins to count again, and then they are shorter.
 */
function Words(found: Found) {
  const words = useWordsOf(found);
  const [longest, setLongest] = useState(words);
  if (words.length > longest.length) {
    setLongest(words);
  }
  return <Room of={longest}>{words}</Room>;
}

function useWordsOf({ version, baseline, rule }: Found): string {
  const { rollouts } = useTexts();
  const texts = rollouts.health;
  const format = useFormat();
  const { state, exposure, failures: failed, e_value: evidence } = rule;
  const [others, fewer] = baselineOf(rule);
  if (state === "no_baseline") {
    return texts.noBaseline;
  }
  if (state === "no_data" && (exposure === 0 || others === 0)) {
    return texts.noData;
  }
  const share = exposure ? failed / exposure : 0;
  const part = others ? fewer / others : 0;
  const times = part > 0 ? share / part : 0;
  const number = format.number;
  const said = [
    texts.against(
      version,
      number(failed),
      number(exposure),
      format.percent(share),
      baseline,
      number(fewer),
      number(others),
      format.percent(part),
    ),
  ];
  if (times > 1) {
    said.push(texts.times(times < 10 ? format.decimal(Math.round(times * 10) / 10) : number(Math.round(times))));
  }
  // An e-value of n is reached with a probability of at most 1/n by a version that fails no more often
  // than the rule tolerates.
  if (evidence >= 2) {
    said.push(texts.chance(number(Math.floor(Math.min(evidence, 1e6)))));
  } else if (state === "healthy") {
    said.push(texts.noSign);
  }
  return said.join(" ");
}
