/** The description of worlds and snapshots. */
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { fileType } from './control.ts';
import { emptyBody, newSnapshotBody, newWorldBody, passphraseHeader } from './control-worlds.ts';
import { act, answer, end, error, list, read, ref, text, time, uuid } from './openapi-operations.ts';

const worldId = [{ name: 'id', in: 'path' as const, required: true, schema: text }];
const noRoom = error('The limits of worlds are reached; the text says which.');
const makeWorld = act(
  'make_world',
  'Make a world',
  newWorldBody,
  {
    201: answer('The world, with keys that nothing else shows again.', ref('control_new_world')),
    429: noRoom,
    503: error('The database server cannot make a world now; the text says why.'),
  },
  {
    description:
      'A whole sandbox of its own: accounts, stock, clock, inbox and jobs. It is served under `url`, and its keys work at the root address too. It ends by `DELETE`, or when nobody has used it for an hour.',
  },
);
const resetWorld = act(
  'reset_world',
  'Reset a world',
  emptyBody,
  {
    200: answer('The world, as it began, with the same keys.', ref('control_world')),
    404: error('There is no such world.'),
  },
  { parameters: worldId },
);
const saveSnapshot = act(
  'save_snapshot',
  'Save a snapshot',
  newSnapshotBody,
  {
    201: answer('Saved.', strictObject({ name: text })),
    404: error('There is no such world.'),
    409: error('There is already a snapshot of this name.'),
    429: noRoom,
  },
  {
    description:
      'Names the state of a world, or of your account in this sandbox with the catalogue, so that worlds can be made from it.',
  },
);

const snapshotName = [{ name: 'name', in: 'path' as const, required: true, schema: text }];
const sealing = {
  name: passphraseHeader,
  in: 'header' as const,
  required: false,
  description: 'A passphrase of at least 12 characters that seals the file, with its secrets in it.',
  schema: text,
};
const asFile = { [fileType]: { schema: { type: 'string', format: 'binary' } satisfies Schema } };
const snapshotFile: Operation = {
  ...read('read_snapshot_file', 'Get a snapshot as a file', {}),
  description:
    'For another machine, or a repository. It has no secrets, which are made anew where it is loaded, unless a passphrase seals it.',
  parameters: [...snapshotName, sealing],
  responses: {
    200: { description: 'The file.', content: asFile },
    401: error('No key, or one that is not valid.'),
    404: error('There is no such snapshot.'),
    409: error('The snapshot holds every account of the sandbox.'),
    429: noRoom,
    503: error('The database server cannot copy it now; the text says why.'),
  },
};
const loadSnapshot: Operation = {
  ...read('load_snapshot_file', 'Make a snapshot from a file', {}),
  description:
    'One that an older version has saved can be loaded as long as no migration since then changes rows. Only what your account could have made is loaded: no jobs, e-mails or sign-ins.',
  parameters: [...snapshotName, sealing],
  requestBody: { required: true, content: asFile },
  responses: {
    201: answer('Loaded.', strictObject({ name: text })),
    401: error('No key, or one that is not valid.'),
    409: error('There is already a snapshot of this name.'),
    422: error('The file is not a snapshot that can be loaded here; the text says why.'),
    429: noRoom,
    503: error('The database server cannot make it now; the text says why.'),
  },
};

const sipAddress: Schema = strictObject({ host: text, port: { type: 'integer' } });

const listedWorld: Record<string, Schema> = {
  id: text,
  url: { type: 'string', format: 'uri' },
  from: text,
  name: { type: ['string', 'null'] },
  sip: { anyOf: [sipAddress, { type: 'null' }] },
  created_at: time,
};

const newWorld: Record<string, Schema> = {
  id: text,
  url: { type: 'string', format: 'uri' },
  api_key: text,
  otp_application: strictObject({ key: uuid, secret: text }),
  now: time,
};

export const worldsPart: { paths: OpenApiPart['paths']; schemas: Record<string, Schema> } = {
  paths: {
    '/sandbox/v1/worlds': {
      get: read('list_worlds', 'List your worlds', strictObject({ worlds: list(ref('control_listed_world')) })),
      post: makeWorld,
    },
    '/sandbox/v1/worlds/{id}': {
      get: read('read_world', 'Get a world', ref('control_world'), { parameters: worldId }),
      delete: end('end_world', 'End a world', { parameters: worldId }),
    },
    '/sandbox/v1/worlds/{id}/reset': { post: resetWorld },
    '/sandbox/v1/snapshots': {
      get: read(
        'list_snapshots',
        'List your snapshots',
        strictObject({ snapshots: list(strictObject({ name: text, created_at: time })) }),
      ),
      post: saveSnapshot,
    },
    '/sandbox/v1/snapshots/{name}': {
      get: snapshotFile,
      put: loadSnapshot,
      delete: end('drop_snapshot', 'Drop a snapshot', {
        parameters: snapshotName,
        responses: { 409: error('A world was made from it.') },
      }),
    },
  },
  schemas: {
    control_listed_world: strictObject(listedWorld),
    control_world: strictObject({ ...listedWorld, now: time }),
    control_new_world: strictObject({ ...newWorld, sip: sipAddress }, Object.keys(newWorld)),
  },
};
