// The page about returning users, with cohorts of days or weeks.

import { Group, NumberInput, Paper } from "@mantine/core";
import { gridHeight } from "../../charts/retention";
import { choiceParam, type Param, textParam, useParams } from "../../core/address";
import { daysIn, type Range, weeksIn } from "../../core/range";
import { useTexts } from "../../core/texts";
import { Segments } from "../../fields/segments";
import type { RetentionQuestion } from "./analysis";
import { useEditedCard } from "./cards";
import styles from "./events.module.css";
import { EventsFrame } from "./frame";
import { useEventNames } from "./names";
import { EventPicker } from "./pickers";
import { Result } from "./result";

/** Returns a parameter for a whole number in a range. For any other text, its value is the initial one. */
export function between(least: number, most: number, initial: number): Param<number> {
  return {
    parse(text) {
      const value = Number(text);
      return text && Number.isInteger(value) && value >= least && value <= most ? value : initial;
    },
    format: (value) => (value === initial ? undefined : String(value)),
  };
}

const params = { start: textParam, return: textParam, period: choiceParam(["day", "week"]), periods: between(2, 30, 14), card: textParam };

export default function RetentionPage() {
  return (
    <EventsFrame page="retention" operations={["analyseRetention", "listEventDefinitions", "createCard"]}>
      {(range) => <Retention range={range} />}
    </EventsFrame>
  );
}

function Retention({ range }: { range: Range }) {
  const { events } = useTexts();
  const texts = events.retention;
  const names = useEventNames(range);
  const [values, change] = useParams(params);
  const card = useEditedCard(values.card);
  const question: RetentionQuestion = {
    kind: "retention",
    start_event: values.start,
    return_event: values.return,
    period: values.period,
    periods: values.periods,
  };
  return (
    <>
      <Paper withBorder className={styles.editor}>
        <Group gap="md" align="flex-end">
          <EventPicker showLabel label={texts.start} value={values.start} names={names} onChange={(start) => change({ start })} />
          <EventPicker
            showLabel
            label={texts.return}
            any={events.anyEvent}
            value={values.return}
            names={names}
            onChange={(name) => change({ return: name })}
          />
          <Segments
            label={texts.period}
            value={values.period}
            choices={(["day", "week"] as const).map((value) => ({ value, label: texts.periodNames[value] }))}
            onChange={(period) => change({ period: period })}
          />
          <NumberInput
            label={texts.periods}
            w={100}
            min={2}
            max={30}
            value={values.periods}
            onChange={(periods) => typeof periods === "number" && periods >= 2 && periods <= 30 && change({ periods }, { replace: true })}
          />
        </Group>
      </Paper>
      <Result
        title={card?.title ?? texts.title}
        definition={events.definitionTexts.retention}
        question={question}
        range={range}
        names={names}
        card={card}
        height={gridHeight((values.period === "week" ? weeksIn : daysIn)(range))}
        grows
      />
    </>
  );
}
