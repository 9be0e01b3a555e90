/** What every program in `programs/` does, step by step, and the line that it must print for each step. */

export interface Step {
  name: string;
  /** For docs/compatibility.md. */
  words: string;
  /** What the program prints after the name of the step. */
  expected: string;
}

/** `/v3`. */
export const platformSteps: readonly Step[] = [
  { name: 'country', words: 'list countries with a filter', expected: 'United Kingdom 44 1' },
  {
    name: 'city',
    words: 'filter by a name with spaces, with `include` and sparse fields',
    expected: 'Frankfurt am Main DE name',
  },
  { name: 'pages', words: 'follow `links.next` to the end of a list', expected: 'true true' },
  { name: 'trunk', words: 'create a trunk whose name has `+`, `&` and letters beyond ASCII', expected: '201 true' },
  { name: 'search', words: 'find it by that name, with `+` in the query', expected: '1 true' },
  { name: 'order', words: 'order a number', expected: '201 completed true' },
  {
    name: 'patch',
    words: 'update the number with null for what it has not, and link the trunk',
    expected: '200 a+b & ü true true',
  },
  { name: 'upload', words: 'upload an encrypted file as a form', expected: '201 true' },
  { name: 'held', words: 'read why a trunk in use cannot be deleted', expected: '422 100' },
  { name: 'delete', words: 'delete it (204 without a body), then 404', expected: '204 404 Record not found' },
  {
    name: 'refused',
    words: 'read a 422: pointer and words',
    expected: "422 /data/attributes/name name - can't be blank",
  },
  { name: 'stranger', words: 'read a 401', expected: '401 Authorization failed' },
];

/** `/api/v1`. */
export const verificationSteps: readonly Step[] = [
  {
    name: 'basic',
    words: 'start in basic mode, take the code from the inbox, report it by number',
    expected: '201 pending de-DE verified',
  },
  {
    name: 'application',
    words: 'start, read and report by id with signed requests',
    expected: '201 pending verified',
  },
  { name: 'public', words: 'start in public mode, report with PUT', expected: '201 pending verified' },
  { name: 'cooldown', words: 'read a 429 and its `Retry-After`', expected: '429 destination_in_cooldown true' },
  { name: 'invalid', words: 'read a 422 in its words', expected: '422 destination is invalid' },
  { name: 'unknown', words: 'read a 404 and a 401', expected: '404 not_found 401 unauthorized' },
];
