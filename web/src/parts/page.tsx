/** What every page has: a title, actions beside it, and how waiting and failing look. */
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiProblem } from '../api/problems.ts';

interface PageProps {
  title: string;
  /** One sentence about what the page is for. */
  about?: ReactNode;
  /** Of a record, beside its title. */
  state?: ReactNode;
  /** One or two that matter most; what is false or empty is left out. */
  facts?: readonly ReactNode[];
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, about, state, facts = [], actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Trunkline`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2} maw={720} flex="1 1 280px">
          <Group gap="sm">
            <Title order={1} size="h2">
              {title}
            </Title>
            {state}
          </Group>
          {facts.some(Boolean) && (
            <Group gap={0} c="dimmed" fz="sm" className="facts">
              {facts.filter(Boolean).map((fact, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: facts have no names, and stay where they are
                <span key={index}>{fact}</span>
              ))}
            </Group>
          )}
          {about !== undefined && (
            <Text c="dimmed" size="sm">
              {about}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

/** In the shape of what comes, so that nothing jumps when it is there. */
export const Waiting = () => (
  <Stack gap="md" role="status" aria-label="Loading">
    <Skeleton h={18} w="32%" />
    <Rows count={6} />
  </Stack>
);

/** Lines of a list that is still read. */
export const Rows = ({ count }: { count: number }) => (
  <Stack gap={0} aria-hidden="true">
    {Array.from({ length: count }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all are the same
      <Group key={index} h={37} px="md" justify="space-between" wrap="nowrap">
        <Skeleton h={11} w="28%" />
        <Skeleton h={11} w="18%" />
        <Skeleton h={11} w="12%" />
      </Group>
    ))}
  </Stack>
);

/** What went wrong and what to do about it. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const status = error instanceof ApiProblem ? error.status : 0;
  const advice =
    status === 404
      ? 'It may have been removed, or it belongs to another account.'
      : status === 403
        ? 'Ask the operator of this platform to enable it for your account.'
        : status === 429 || status === 503
          ? 'Wait a moment and try again.'
          : status === 0
            ? 'Check your connection and try again.'
            : 'If it stays like this, tell the operator.';
  return (
    <Alert
      color="red"
      variant="light"
      title={status === 0 ? 'The server cannot be reached' : error.message}
      role="alert"
    >
      <Group justify="space-between">
        <Text size="sm">{advice}</Text>
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  drawing?: ReactNode;
}

/** What a list without records says: what belongs here, and how to get the first one. */
export function Empty({ title, children, action, drawing }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={40} px="md" ta="center">
      {drawing}
      <Text fw={580}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

/** An error of a form that belongs to none of its fields. It stands beside the button, and comes into view. */
export function FormError({ text }: { text: string | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const isThere = text !== undefined && text !== '';
  useEffect(() => {
    if (isThere) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isThere]);
  if (!isThere) return null;
  return (
    <Alert ref={place} color="red" variant="light" role="alert" style={{ scrollMarginBlock: 96 }}>
      {text}
    </Alert>
  );
}
