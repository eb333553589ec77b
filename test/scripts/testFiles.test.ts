import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** Returns the test files of each script of package.json. A script that names none runs the tests of the extension host. */
function testFiles(): ReadonlyMap<string, readonly string[]> {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  // test:oldest repeats some tests on another version of VS Code.
  const named = Object.entries(scripts).filter(([name]) => name.startsWith('test:') && name !== 'test:oldest');
  return new Map(named.map(([name, command]) => [name, filesOf(command)]));
}

function filesOf(command: string): readonly string[] {
  const ignored = [...command.matchAll(/--ignore "([^"]+)"/g)].map(([, pattern = '']) => pattern);
  const patterns = [...command.matchAll(/"(test\/[^"]+)"/g)].map(([, pattern = '']) => pattern);
  const all = patterns.length > 0 ? patterns : ['test/vscode/**/*.test.ts'];
  return [...new Set(globSync(all, { cwd: root, exclude: ignored }).map((file) => file.replaceAll(path.sep, '/')))];
}

describe('The scripts for tests', () => {
  it('run each test file exactly once', () => {
    const runs = [...testFiles()].flatMap(([name, files]) => files.map((file) => ({ name, file })));
    const every = globSync('test/**/*.test.ts', { cwd: root }).map((file) => file.replaceAll(path.sep, '/'));
    assert.ok(every.length > 100);
    const wrong = every
      .map((file) => ({ file, scripts: runs.filter((run) => run.file === file).map(({ name }) => name) }))
      .filter(({ scripts }) => scripts.length !== 1);
    assert.deepEqual(wrong, []);
  });
});
