/** A password that is shown when somebody asks for it: the server writes down who did. */

import { Button, Code, Text } from '@mantine/core';
import { useWrite } from '../api/acts.ts';
import { useSession } from '../api/queries.ts';
import { type AnswerOf, pathWith } from '../api/routes.ts';
import { FormError } from './page.tsx';

type SecretName = keyof AnswerOf<'POST /panel/v1/secret_reveals'>['secrets'];

/** `member` is the secret's name among those of the record. */
export function Secret({ type, id, member }: { type: string; id: string; member: SecretName }) {
  const { data: session } = useSession();
  const reveal = useWrite<'POST /panel/v1/secret_reveals'>();
  const shown = reveal.data?.secrets[member];
  if (session?.role !== 'owner' && session?.role !== 'developer') {
    return (
      <Text span size="sm" c="dimmed">
        shown to owners and developers
      </Text>
    );
  }
  if (shown !== undefined) return <Code style={{ overflowWrap: 'anywhere' }}>{shown}</Code>;
  if (reveal.isSuccess) return <Text span>none</Text>;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={reveal.isPending}
        onClick={() =>
          reveal.mutate({ method: 'POST', path: pathWith('/panel/v1/secret_reveals'), body: { type, id } })
        }
      >
        Show password
      </Button>
      <FormError text={reveal.error?.message} />
    </>
  );
}
