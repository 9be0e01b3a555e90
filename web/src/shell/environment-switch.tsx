/**
 * In which environment one is, at every width, and the way to the other. The sandbox has a coloured edge along the top
 * as well (styles.css).
 */
import { Badge, Button, Menu, Text } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import type { Session } from '../api/queries.ts';

type Environment = Session['environment'];

const names: Readonly<Record<Environment, string>> = { sandbox: 'Sandbox', production: 'Production' };
const meanings: Readonly<Record<Environment, string>> = {
  sandbox: 'Play money, no real calls or messages',
  production: 'Real numbers, calls and money',
};

export function EnvironmentSwitch({ session: { environment, beside } }: { session: Session }) {
  if (beside === null) {
    return (
      <Badge variant="light" color={colorOf(environment)} size="lg">
        {names[environment]}
      </Badge>
    );
  }
  return (
    <Menu position="bottom-start" width={270}>
      <Menu.Target>
        <Button
          variant="light"
          color={colorOf(environment)}
          size="xs"
          h={28}
          px={8}
          rightSection={<IconSelector size={14} aria-hidden />}
          aria-label={`Environment: ${names[environment]}`}
        >
          {names[environment]}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCheck size={16} />} aria-current="true">
          <Described name={environment} />
        </Menu.Item>
        <Menu.Item component="a" href={panelOf(beside)} leftSection={<span style={{ width: 16 }} />}>
          <Described name={beside.name} />
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const Described = ({ name }: { name: Environment }) => (
  <>
    <Text size="sm" fw={550}>
      {names[name]}
    </Text>
    <Text size="xs" c="dimmed">
      {meanings[name]}
    </Text>
  </>
);

const colorOf = (environment: Environment): string => (environment === 'sandbox' ? 'orange' : 'gray');

/** Without a public URL nothing stands in front, so the other one answers at another port of the same host. */
function panelOf({ public_url, port }: NonNullable<Session['beside']>): string {
  if (public_url !== null) return public_url;
  const { protocol, hostname } = window.location;
  return `${protocol}//${hostname}:${port}/`;
}
