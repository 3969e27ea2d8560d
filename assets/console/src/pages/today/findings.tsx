// A list of findings. Each one is a sentence with one number, one curve and one link.

import { Button, Paper, Skeleton, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import type { Finding } from "svc-sdk";
import { Sparkline } from "../../charts/sparkline";
import { parseSearch } from "../../core/address";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import type { Path } from "../../core/pages";
import { useTexts } from "../../core/texts";
import { say } from "./say";
import styles from "./today.module.css";

export interface ShownFinding extends Finding {
  /** The project that the finding is about; null for the instance. */
  project: { key: string; name: string } | null;
  /** Whether the sentence must name the project. */
  named: boolean;
}

export function Findings({ findings }: { findings: ShownFinding[] | undefined }) {
  const { today, common } = useTexts();
  const format = useFormat();
  if (!findings) {
    return (
      <Paper withBorder className={styles["list"]} role="status" aria-label={common.loading}>
        {[72, 58, 65].map((width) => (
          <div key={width} className={styles["finding"]}>
            <Skeleton height={24} width={64} />
            <Skeleton height={12} width={`${width}%`} />
          </div>
        ))}
      </Paper>
    );
  }
  const shown = findings.flatMap((finding) => {
    const said = say(finding, today, format);
    return said ? [{ ...finding, ...said }] : [];
  });
  if (shown.length === 0) {
    return (
      <Paper withBorder className={styles["nothing"]}>
        <IconCircleCheck size={20} aria-hidden />
        <Text>{today.nothing}</Text>
      </Paper>
    );
  }
  return (
    <Paper withBorder component="ul" className={styles["list"]} aria-label={today.list}>
      {shown.map(({ kind, figure, text, action, series, link, project, named }) => {
        const [path, search = ""] = link.split("?");
        return (
          <li key={`${project?.key} ${kind} ${text}`} className={styles["finding"]}>
            <span className={styles["sentence"]}>
              <span className={styles["figure"]}>{figure}</span>{" "}
              <span className={styles["text"]}>
                {text}
                {named && project && <bdi className={styles["project"]}>{project.name}</bdi>}
              </span>
            </span>
            <span className={styles["curve"]}>
              <Sparkline values={series} />
            </span>
            <Button
              variant="default"
              className={styles["action"] ?? ""}
              renderRoot={(props) => (
                <PageLink to={path as Path} search={{ ...(project && { project: project.key }), ...parseSearch(search) }} {...props} />
              )}
            >
              {action}
            </Button>
          </li>
        );
      })}
    </Paper>
  );
}
