/**
 * What goes with a release, in `release/`: the bill of materials (CycloneDX, by npm), the licences of all packages that
 * are installed with Trunkline, and the notes of one version from CHANGELOG.md. `npm run release -- 0.1.0`; without a
 * version: Unreleased. Before that, `npm run release -- 0.1.0 --prepare` gives what is unreleased that version and
 * today's date, to be committed and tagged.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

interface Component {
  name: string;
  version: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

const [, file, version = 'Unreleased', option] = process.argv;
const changelogFile = path.join(root, 'CHANGELOG.md');

if (file === import.meta.filename && option === '--prepare') {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  if (manifest.version !== version)
    throw new Error(`package.json has version ${manifest.version}; npm version sets it.`);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(changelogFile, datedChangelog(readFileSync(changelogFile, 'utf8'), version, today));
} else if (file === import.meta.filename) {
  const folder = path.join(root, 'release');
  const sbom = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { components }: { components: Component[] } = JSON.parse(sbom);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'sbom.cdx.json'), sbom);
  writeFileSync(path.join(folder, 'licences.md'), licenceList(components));
  writeFileSync(path.join(folder, 'notes.md'), releaseNotes(readFileSync(changelogFile, 'utf8'), version));
}

export function licenceList(components: readonly Component[]): string {
  const rows = components.map(({ name, version, licenses = [] }) => {
    const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? 'unknown');
    return `| ${name} | ${version} | ${names.join(', ') || formerLicences(name) || 'unknown'} |`;
  });
  return ['# Licences', '', '| Package | Version | Licence |', '|---|---|---|', ...rows.sort(), ''].join('\n');
}

/** Old packages have a list `licenses` in their package.json, which npm does not take over. */
function formerLicences(name: string): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8'));
    const { licenses = [] } = manifest as { licenses?: { type?: string }[] };
    return licenses.flatMap(({ type }) => type ?? []).join(', ') || licenceOfText(name);
  } catch {
    return '';
  }
}

/** Some name their licence in its file only. */
function licenceOfText(name: string): string {
  const folder = path.join(root, 'node_modules', name);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8');
  return /Permission is hereby granted, free of charge, to any person obtaining\s+a copy/.test(text) ? 'MIT' : '';
}

/** What is unreleased becomes the section of a version, below an empty section for what comes next. */
export function datedChangelog(changelog: string, version: string, date: string): string {
  const heading = '## Unreleased\n';
  const notes = releaseNotes(changelog, 'Unreleased');
  const [before = '', rest = ''] = changelog.split(heading);
  const older = rest.search(/^## /m);
  return `${before}${heading}\n## [${version}] - ${date}\n\n${notes}${older < 0 ? '' : `\n${rest.slice(older)}`}`;
}

/** The section of one version, without its heading. Throws if there is none or it is empty. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s\]]/, 1)[0]?.replace('[', '') === version);
  const notes = section?.replace(/^.*\n/, '').trim() ?? '';
  if (notes === '') throw new Error(`CHANGELOG.md has no notes for ${version}.`);
  return `${notes}\n`;
}
