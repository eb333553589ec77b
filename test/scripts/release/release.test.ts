import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../../../scripts/editor/build.ts';
import { changelogSections } from '../../../scripts/release/changelog.ts';
import { checkRelease, releaseProblems } from '../../../scripts/release/release.ts';

const CHANGELOG = `# Changelog

## Unreleased

## [1.2.0] - 2026-01-31

### Added

- Streams.

### Fixed

- Logs.

## 1.1.0 - 2026-01-01

- The first release.
`;
const VERSIONS = { package: '1.2.0', lock: '1.2.0' };

describe('Changelog', () => {
  it('is read with its versions, dates, and texts', () => {
    const sections = [
      { version: undefined, date: undefined, text: '' },
      { version: '1.2.0', date: '2026-01-31', text: '### Added\n\n- Streams.\n\n### Fixed\n\n- Logs.' },
      { version: '1.1.0', date: '2026-01-01', text: '- The first release.' },
    ];
    assert.deepEqual(changelogSections(CHANGELOG), sections);
    assert.deepEqual(changelogSections(CHANGELOG.replaceAll('\n', '\r\n')), sections);
  });

  it('of this repository has a section for changes that are not released', async () => {
    const [first] = changelogSections(await readFile(path.join(repository, 'CHANGELOG.md'), 'utf8'));
    assert.equal(first?.version, undefined);
  });
});

describe('Check of a release', () => {
  const problems = (tag: string, changes: Partial<typeof VERSIONS> = {}, changelog = CHANGELOG) =>
    releaseProblems(tag, { ...VERSIONS, ...changes }, changelog).problems;

  it('accepts a tag with the version of the package and the newest section, which becomes the text of the release', () => {
    assert.deepEqual(releaseProblems('v1.2.0', VERSIONS, CHANGELOG), {
      problems: [],
      notes: '### Added\n\n- Streams.\n\n### Fixed\n\n- Logs.',
    });
  });

  it('rejects a tag that is not a version of three numbers', () => {
    for (const tag of ['1.2.0', 'v1.2', 'v1.2.0-rc.1', 'latest', 'v1.2.0\nx'])
      assert.match(problems(tag).join(), /is not "v" and three numbers/);
  });

  it('rejects a tag with another version than the package or its lock file', () => {
    assert.match(problems('v1.2.0', { package: '1.1.0', lock: '1.1.0' }).join(), /^package\.json has version 1\.1\.0/);
    assert.match(problems('v1.2.0', { lock: '1.1.0' }).join(), /^package-lock\.json has version 1\.1\.0/);
  });

  it('rejects a version without a section, a date, or entries, and one that is not the newest', () => {
    const older = { package: '1.1.0', lock: '1.1.0' };
    assert.match(problems('v1.1.0', older).join(), /is not the newest one/);
    const newer = { package: '1.3.0', lock: '1.3.0' };
    assert.match(problems('v1.3.0', newer).join(), /has no section for 1\.3\.0/);
    assert.match(problems('v1.2.0', {}, CHANGELOG.replace(' - 2026-01-31', '')).join(), /has no date/);
    assert.match(problems('v1.2.0', {}, CHANGELOG.replace(/- (Streams|Logs)\./g, '')).join(), /has no entries/);
  });

  it('rejects entries that are not in the section of the version', () => {
    const changelog = CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n- Forgotten.\n');
    assert.match(problems('v1.2.0', {}, changelog).join(), /under "Unreleased"/);
  });

  it('reads the files of a repository', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-release-'));
    try {
      const files = { 'package.json': '{"version":"1.2.0"}', 'package-lock.json': '{"version":"1.2.0"}' };
      for (const [name, text] of Object.entries({ ...files, 'CHANGELOG.md': CHANGELOG }))
        await writeFile(path.join(folder, name), text);
      assert.deepEqual((await checkRelease(folder, 'v1.2.0')).problems, []);
      assert.equal((await checkRelease(folder, 'v1.3.0')).problems.length, 2);
      await writeFile(path.join(folder, 'package.nls.json'), '{"title":"Stop","other":"Start"}');
      await writeFile(path.join(folder, 'package.nls.zh-cn.json'), '{"title":"停止"}');
      const { problems: untranslated } = await checkRelease(folder, 'v1.2.0');
      assert.deepEqual(untranslated, ['package.nls.zh-cn.json has no translation of "other".']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is a script that fails with the problems, and with its usage', async () => {
    const script = path.join(repository, 'scripts', 'release', 'checkRelease.ts');
    const run = (...args: string[]) =>
      new Promise<readonly [unknown, string]>((resolve) =>
        execFile(process.execPath, [script, ...args], (error, _, stderr) => resolve([error?.code ?? 0, stderr])),
      );
    const [code, stderr] = await run('v999.0.0');
    assert.equal(code, 1);
    assert.match(stderr, /^package\.json has version .*Run "npm version/);
    assert.deepEqual(await run(), [2, 'Usage: npm run check:release -- TAG [--notes FILE]\n']);
  });
});
