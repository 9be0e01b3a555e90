/** What a registration still needs: asked of the server, which will judge the submission by the same rules. */

import { Alert, Anchor, List } from '@mantine/core';
import { queryClient, useRead } from '../api/queries.ts';
import { get } from '../api/request.ts';
import { pathWith, type ReadOf } from '../api/routes.ts';

export type RegistrationCheck = ReadOf<'/panel/v1/registration_checks'>;
type Problem = RegistrationCheck['problems'][number];
type Part = Problem['part'];

/** What there is of a registration so far. */
interface Registration {
  numbers: readonly string[];
  identity?: string | undefined;
  address?: string | undefined;
  onetimeFiles: number;
  /** What was written only counts at the end, so before that it is taken for written where it is needed. */
  isDescribed: boolean;
}

const pathOf = ({ numbers, identity, address, onetimeFiles, isDescribed }: Registration) =>
  pathWith('/panel/v1/registration_checks', {
    numbers: numbers.join(','),
    identity,
    address,
    onetime_files: onetimeFiles,
    service_description: isDescribed ? 'written' : undefined,
  });

/** Undefined while it is not known for exactly this registration. */
export function useCheck(registration: Registration): { check: RegistrationCheck | undefined; error: Error | null } {
  const read = useRead(registration.numbers.length === 0 ? null : pathOf(registration));
  return { check: read.isPlaceholderData ? undefined : read.data, error: read.error };
}

/** The same once, after something was stored. */
export const readCheck = (registration: Registration): Promise<RegistrationCheck> =>
  queryClient.fetchQuery({
    queryKey: [pathOf(registration)],
    queryFn: () => get(pathOf(registration)),
    staleTime: 0,
  });

const stepOf: Readonly<Record<Part, number>> = { identity: 1, address: 2, documents: 3, service_description: 4 };
const stepTexts: Readonly<Record<Part, string>> = {
  identity: 'Change the identity',
  address: 'Change the address',
  documents: 'Add documents',
  service_description: '',
};

interface MissingProps {
  problems: readonly Problem[];
  /** Goes to the step where a problem is mended; none where it is mended here. */
  go?: (step: number) => void;
}

export function Missing({ problems, go }: MissingProps) {
  if (problems.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title="Still missing" role="status">
      <List size="sm">
        {problems.map(({ part, text }) => (
          <List.Item key={text}>
            {text}
            {go && stepOf[part] < 4 && (
              <>
                {' · '}
                <Anchor component="button" type="button" inherit onClick={() => go(stepOf[part])}>
                  {stepTexts[part]}
                </Anchor>
              </>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
