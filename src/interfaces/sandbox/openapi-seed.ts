/** The description of seeds. */
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Schema } from '../../engines/openapi/types.ts';
import { seedBody } from './control-seed.ts';
import { act, answer, list, ref, text, uuid } from './openapi-operations.ts';

const seed = act(
  'seed',
  'Make records as data',
  seedBody,
  { 201: answer('What there is now, with its ids.', ref('control_seeded')) },
  {
    description:
      'Numbers for sale, and accounts with owned numbers in any state, past calls and verifications in any state: the members of a sandbox in the bootstrap file. What exists stays. An error names the member that is wrong, and nothing is changed.',
  },
);

export const seedPart: { paths: OpenApiPart['paths']; schemas: Record<string, Schema> } = {
  paths: { '/sandbox/v1/seed': { post: seed } },
  schemas: {
    control_seeded: strictObject({
      numbers: list(strictObject({ did_group_id: uuid, stock_keeping_unit_id: uuid, numbers: list(text) })),
      accounts: list(
        strictObject({
          id: uuid,
          name: text,
          numbers: list(strictObject({ id: uuid, number: text })),
          calls: list(uuid),
          verifications: list(uuid),
        }),
      ),
    }),
  },
};
