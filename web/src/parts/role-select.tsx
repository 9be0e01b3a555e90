/** The role of a person in a list, which is changed at once. */
import { Select } from '@mantine/core';
import { useAct } from '../api/acts.ts';
import type { Send } from '../api/writer.ts';
import { FormError } from './page.tsx';

interface RoleSelectProps<R extends string> {
  email: string;
  role: R;
  roles: readonly { value: R; label: string }[];
  change: (send: Send, role: R) => Promise<unknown>;
}

export function RoleSelect<R extends string>({ email, role, roles, change }: RoleSelectProps<R>) {
  const write = useAct(change);
  return (
    <>
      <Select
        aria-label={`Role of ${email}`}
        size="xs"
        w={{ base: 120, sm: 220 }}
        data={roles}
        allowDeselect={false}
        value={role}
        onChange={(chosen) => chosen !== null && write.mutate(chosen)}
      />
      <FormError text={write.error?.message} />
    </>
  );
}
