/**
 * The order of the test files: the longest first, so that none of them runs on when the others have ended. Vitest knows
 * how long a file takes only where it ran before; a fresh clone would begin with the files that have the most text.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take half a minute or more, longest first; the order of the others hardly matters. */
const longest = [
  'test/panel/journeys.test.ts',
  'test/panel/pages.test.ts',
  'test/boot.test.ts',
  'test/verification/crash.test.ts',
  'test/panel/operator-journeys.test.ts',
  'test/docs/try-it.test.ts',
  'test/package.test.ts',
  'test/regulation.test.ts',
  'test/embedded.test.ts',
  'test/panel/security.test.ts',
  'test/boot-failures.test.ts',
  'test/verification/fuzz.test.ts',
  'test/packages/test-kit.test.ts',
  'test/sip/first-call.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place < 0 ? longest.length : place;
}
