/** The notes and the licence list of a release. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { datedChangelog, licenceList, releaseNotes } from '../scripts/release.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-11-01\n\n- Two.\n';

it('takes the notes of one version out of the changelog', () => {
  expect(releaseNotes(changelog, 'Unreleased')).toBe('### Added\n\n- One.\n');
  expect(releaseNotes(changelog, '0.1.0')).toBe('- Two.\n');
  expect(() => releaseNotes(changelog, '9.9.9')).toThrow('CHANGELOG.md has no notes for 9.9.9.');
});

it('turns what is unreleased into a version, of the changelog as it is today too', () => {
  expect(datedChangelog(changelog, '0.2.0', '2026-12-01')).toBe(
    '# Changelog\n\n## Unreleased\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-11-01\n\n- Two.\n',
  );
  const today = readFileSync(path.join(import.meta.dirname, '../CHANGELOG.md'), 'utf8');
  const dated = datedChangelog(today, '9.9.9', '2026-12-01');
  expect(releaseNotes(dated, '9.9.9')).toBe(releaseNotes(today, 'Unreleased'));
  expect(() => releaseNotes(dated, 'Unreleased')).toThrow('CHANGELOG.md has no notes for Unreleased.');
});

it('lists a licence for every package', () => {
  const components = [
    { name: 'b', version: '2.0.0', licenses: [{ license: { id: 'MIT' } }] },
    { name: 'a', version: '1.0.0', licenses: [{ expression: '(MIT OR ISC)' }] },
    { name: 'c', version: '3.0.0' },
    // Its package.json has the old form, which npm leaves out.
    { name: 'busboy', version: '1.6.0' },
    // Its package.json says nothing at all, its LICENSE does.
    { name: 'png-js', version: '2.0.0' },
  ];
  expect(licenceList(components).trim().split('\n').slice(4)).toEqual([
    '| a | 1.0.0 | (MIT OR ISC) |',
    '| b | 2.0.0 | MIT |',
    '| busboy | 1.6.0 | MIT |',
    '| c | 3.0.0 | unknown |',
    '| png-js | 2.0.0 | MIT |',
  ]);
});
