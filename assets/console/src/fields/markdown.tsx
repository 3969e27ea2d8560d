import { Group, Input, SegmentedControl, Skeleton, Stack, Text, Typography } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useLayoutEffect, useRef, useState } from "react";
import { clientOf, messagesOf } from "../core/client";
import { showHtml } from "../core/html";
import { useTexts } from "../core/texts";
import { Editor } from "./editor";
import type { FieldProps } from "./field";
import classes from "./fields.module.css";

/** Shows Markdown in the form in which users see it. The server renders it. */
export function Rendered({ markdown }: { markdown: string }) {
  const element = useRef<HTMLDivElement>(null);
  const { data, error } = useQuery({
    queryKey: ["markdown", markdown],
    queryFn: ({ signal }) => clientOf("").admin.previewMarkdown({ text: markdown }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: markdown.trim() !== "",
  });
  useLayoutEffect(() => {
    if (element.current && data) {
      showHtml(element.current, data.html);
    }
  }, [data]);
  if (data) {
    return <Typography ref={element} className={classes.rendered} dir="auto" />;
  }
  if (error) {
    return (
      <Stack gap={4}>
        <Text size="xs" c="var(--mantine-color-error)">
          {messagesOf(error).join("; ")}
        </Text>
        <Text size="sm" className={classes.plain} dir="auto">
          {markdown}
        </Text>
      </Stack>
    );
  }
  return markdown.trim() === "" ? null : <Skeleton h={20 * Math.min(markdown.split("\n").length, 8)} />;
}

/** A field for a Markdown text, which shows either the editor or a preview. */
export function MarkdownField({
  value,
  onChange,
  error,
  label,
  description,
  placeholder,
  required = false,
  disabled = false,
}: FieldProps<string> & { placeholder?: string }) {
  const { fields } = useTexts();
  const [view, show] = useState<"write" | "preview">("write");
  const id = useId();
  return (
    <Input.Wrapper labelElement="div" error={error} errorProps={{ id }}>
      <Group justify="space-between" align="flex-end" mb={4} wrap="nowrap">
        <div>
          <Input.Label labelElement="div" required={required}>
            {label}
          </Input.Label>
          <Input.Description>{description ?? fields.markdown.description}</Input.Description>
        </div>
        <SegmentedControl
          size="xs"
          aria-label={fields.markdown.view(label)}
          value={view}
          onChange={show}
          data={[
            { value: "write", label: fields.markdown.write },
            { value: "preview", label: fields.markdown.preview },
          ]}
        />
      </Group>
      {view === "write" ? (
        <Editor
          language="markdown"
          value={value}
          onChange={onChange}
          label={label}
          describedBy={error ? id : undefined}
          invalid={Boolean(error)}
          required={required}
          disabled={disabled}
          placeholder={placeholder}
        />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className={classes.preview} aria-label={fields.markdown.previewOf(label)} tabIndex={0}>
          {value.trim() ? (
            <Rendered markdown={value} />
          ) : (
            <Text size="sm" c="dimmed">
              {fields.markdown.empty}
            </Text>
          )}
        </section>
      )}
    </Input.Wrapper>
  );
}
