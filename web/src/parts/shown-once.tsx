/** A secret that the server shows only now, with a way to copy it. */
import { Alert, Button, Code, CopyButton, Group, Text } from '@mantine/core';

export function ShownOnce({ title, lines }: { title: string; lines: readonly { label: string; value: string }[] }) {
  return (
    <Alert color="teal" variant="light" title={title} role="status">
      <Text size="sm" mb="xs">
        Copy it now: it is not shown again.
      </Text>
      {lines.map(({ label, value }) => (
        <Group key={label} gap="xs" mb={4}>
          <Text size="sm" w={60}>
            {label}
          </Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy} aria-label={`Copy ${label.toLowerCase()}`}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
      ))}
    </Alert>
  );
}
