// The description of the API operations that a page uses, as in the API reference.

import { Anchor, Code, Drawer, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Failure } from "../core/failure";
import { useTexts } from "../core/texts";
import { useFocusReturn } from "./focus";

interface Operation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
}

interface Description {
  paths: Record<string, Record<string, { operationId?: string; summary?: string }>>;
}

async function describe(signal: AbortSignal): Promise<Operation[]> {
  const response = await fetch("/reference/openapi.json", { signal });
  const { paths } = (await response.json()) as Description;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, summary }]) =>
      operationId ? [{ method: method.toUpperCase(), path, operationId, summary: summary ?? "" }] : [],
    ),
  );
}

export default function ApiHelp({ operations, onClose }: { operations: string[]; onClose: () => void }) {
  const { common, operations: texts } = useTexts();
  useFocusReturn();
  const { data, error, refetch } = useQuery({
    queryKey: ["openapi"],
    queryFn: ({ signal }) => describe(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={common.apiHelp} closeButtonProps={{ "aria-label": common.close }}>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Stack gap="md">
          {operations.map((id) => {
            const operation = data?.find(({ operationId }) => operationId === id);
            return (
              <div key={id}>
                <Code style={{ overflowWrap: "anywhere" }}>{operation ? `${operation.method} ${operation.path}` : id}</Code>
                <Text size="sm">{operation ? texts.summaryOf(id, operation.summary) : "\u00a0"}</Text>
                <Anchor size="sm" className="lone" href={`/doc/${id}`} target="_blank" rel="noopener">
                  {texts.details}
                </Anchor>
              </div>
            );
          })}
        </Stack>
      )}
    </Drawer>
  );
}
