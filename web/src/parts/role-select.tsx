/** The role of a person in a list, which is changed at once. */
import { Select } from '@mantine/core';
import { useWrite } from '../api/acts.ts';
import { FormError } from './page.tsx';

interface RoleSelectProps {
  email: string;
  role: string;
  roles: { value: string; label: string }[];
  /** The resource that has the role. */
  resource: { type: string; id: string; path: string };
}

export function RoleSelect({ email, role, roles, resource: { type, id, path } }: RoleSelectProps) {
  const write = useWrite();
  return (
    <>
      <Select
        aria-label={`Role of ${email}`}
        size="xs"
        w={{ base: 120, sm: 220 }}
        data={roles}
        allowDeselect={false}
        value={role}
        onChange={(chosen) =>
          write.mutate({ method: 'PATCH', path, body: { data: { type, id, attributes: { role: chosen } } } })
        }
      />
      <FormError text={write.error?.message} />
    </>
  );
}
