/** A name in a list, marked if an operator who acted as this customer has made the record. */
import { Badge, Group } from '@mantine/core';
import type { ReactNode } from 'react';

export const MarkedName = ({ name, isOperators }: { name: ReactNode; isOperators: boolean }) =>
  isOperators ? (
    <Group gap="xs">
      {name}
      <Badge variant="light" color="grape" size="sm">
        by operator
      </Badge>
    </Group>
  ) : (
    name
  );
