// Paths of users: which event follows which.

import { Group, NumberInput, Paper } from "@mantine/core";
import { choiceParam, textParam, useParams } from "../../core/address";
import type { Range } from "../../core/range";
import { useTexts } from "../../core/texts";
import { Segments } from "../../fields/segments";
import type { PathsQuestion } from "./analysis";
import { useEditedCard } from "./cards";
import styles from "./events.module.css";
import { EventsFrame } from "./frame";
import { useEventNames } from "./names";
import { EventPicker } from "./pickers";
import { Result } from "./result";
import { between } from "./retention";

const params = {
  start: textParam,
  scope: choiceParam(["session", "user"]),
  depth: between(2, 6, 4),
  branches: between(1, 20, 5),
  card: textParam,
};

export default function PathsPage() {
  return (
    <EventsFrame page="paths" operations={["analysePaths", "listEventDefinitions", "createCard"]}>
      {(range) => <Paths range={range} />}
    </EventsFrame>
  );
}

function Paths({ range }: { range: Range }) {
  const { events } = useTexts();
  const texts = events.paths;
  const names = useEventNames(range);
  const [{ start, scope, depth, branches, card: cardId }, change] = useParams(params);
  const card = useEditedCard(cardId);
  const question: PathsQuestion = { kind: "paths", start_event: start, scope, depth, branch_limit: branches };
  return (
    <>
      <Paper withBorder className={styles.editor}>
        <Group gap="md" align="flex-end">
          <EventPicker
            showLabel
            label={texts.start}
            any={events.anyEvent}
            value={start}
            names={names}
            onChange={(name) => change({ start: name })}
          />
          <Segments
            label={texts.scope}
            value={scope}
            choices={(["session", "user"] as const).map((value) => ({ value, label: texts.scopes[value] }))}
            onChange={(next) => change({ scope: next })}
          />
          <NumberInput
            label={texts.depth}
            w={100}
            min={2}
            max={6}
            value={depth}
            onChange={(next) => typeof next === "number" && next >= 2 && next <= 6 && change({ depth: next }, { replace: true })}
          />
          <NumberInput
            label={texts.branches}
            w={100}
            min={1}
            max={20}
            value={branches}
            onChange={(next) => typeof next === "number" && next >= 1 && next <= 20 && change({ branches: next }, { replace: true })}
          />
        </Group>
      </Paper>
      <Result
        title={card?.title ?? texts.title}
        definition={events.definitionTexts.paths}
        question={question}
        range={range}
        names={names}
        card={card}
        height={460}
        note
      />
    </>
  );
}
