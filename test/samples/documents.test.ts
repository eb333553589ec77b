import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../../scripts/editor/build.ts';
import { freePort } from '../../scripts/editor/freePort.ts';
import { blocksOf, NEEDS, scriptOf } from './commandBlocks.ts';

/* Runs the commands of the documents as a reader does: in a clean clone, with the Node.js of the system, which can be an old one. */

const documents = globSync(['*.md', 'docs/**/*.md', 'samples/**/*.md'], {
  cwd: repository,
  exclude: ['**/.venv', '**/node_modules'],
})
  .map((file) => ({ file, blocks: blocksOf(readFileSync(path.join(repository, file), 'utf8')) }))
  .filter(({ blocks }) => blocks.some(({ language }) => language === 'sh'));

/** The folder of the system's Node.js. `npm` puts a newer one first, which a reader does not have. */
const systemFolder = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .find((folder) => !folder.includes('node_modules') && existsSync(path.join(folder, 'node')));

describe('The commands of the documents', function () {
  let clone = '';
  let environment: NodeJS.ProcessEnv = {};

  before(async function () {
    if (process.platform === 'win32' || systemFolder === undefined) return this.skip();
    const folder = await mkdtemp(path.join(tmpdir(), 'cloud-compute-documents-'));
    clone = path.join(folder, 'clone');
    await copyRepository(clone);
    // The clone shares the packages of this repository, and its documents share one build.
    const programs = path.join(folder, 'bin');
    await mkdir(programs);
    await writeFile(path.join(programs, 'npm'), npmScript(systemFolder));
    await chmod(path.join(programs, 'npm'), 0o755);
    const { HOME, TMPDIR } = process.env;
    environment = { HOME, TMPDIR, PATH: [programs, systemFolder, '/usr/bin', '/bin'].join(path.delimiter) };
  });

  after(() => rm(path.dirname(clone), { recursive: true, force: true, maxRetries: 3 }));

  async function run(script: string): Promise<{ readonly code: number | null; readonly output: string }> {
    const child = spawn('bash', ['-c', script], {
      cwd: clone,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        output += data.toString();
      });
    // The output ends once the programs in the background have ended. One that was just starting did not get the signal of the script.
    child.once('exit', () => {
      const again = setInterval(() => {
        try {
          process.kill(-(child.pid ?? NaN), 'SIGTERM');
        } catch {
          // No program is left.
        }
      }, 1_000);
      child.once('close', () => clearInterval(again));
    });
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
  }

  it('are marked with what they need, and are all in blocks that run', () => {
    for (const { file, blocks } of documents)
      for (const { language, marks, line } of blocks) {
        assert.doesNotMatch(language, /^(bash|shell|console|powershell|zsh)$/, `${file}:${line}`);
        for (const [mark, value] of marks)
          assert.ok(
            mark === 'background' || mark === 'file' || (mark === 'needs' && NEEDS.includes(value)),
            `${file}:${line}: ${mark}`,
          );
      }
  });

  for (const { file, blocks } of documents) {
    for (const { line, marks } of blocks)
      if (marks.has('needs')) it(`need ${marks.get('needs')} in ${file}, line ${line}`);
    const runnable = blocks.filter(({ marks }) => !marks.has('needs'));
    if (runnable.some(({ language }) => language === 'sh'))
      it(`run in ${file}`, async () => {
        const { code, output } = await run(scriptOf(runnable, await freePort()));
        assert.equal(code, 0, output);
      });
  }

  it('fail with the version of Node.js that they need, in one line, if an old one runs them directly', async function () {
    const { output: version } = await run('node --version');
    if (!/^v(1\d|20|21)\./.test(version)) this.skip();
    await run('npm run build');
    const expected = `Cloud Compute needs Node.js 22.13 or newer, but this is Node.js ${version.trim().slice(1)}: in a clone of the repository, "npx node" runs a newer one`;
    for (const [command, exitCode] of [
      ['cli.js test samples/hello-queue', 69],
      ['cli.js mcp', 69],
      ['cli.js --help', 69],
      ['platform.js --in-memory', 7],
    ]) {
      const { code, output } = await run(`node dist/${command}`);
      assert.deepEqual([code, output.trim().replace(/\.$/, '')], [exitCode, expected]);
    }
  });
});

/** Returns a program that does what npm does, without the network, and without repeating a build. */
function npmScript(folder: string): string {
  return `#!/bin/sh
case "$*" in
  ci) ;;
  "run build") [ -e dist/cli.js ] || exec "${folder}/npm" run build ;;
  "run package") [ -e cloud-compute.vsix ] || exec "${folder}/npm" run package ;;
  *) exec "${folder}/npm" "$@" ;;
esac
`;
}

/** Copies the files of this repository that git does not ignore. */
async function copyRepository(folder: string): Promise<void> {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repository,
  });
  for (const file of list.toString().split('\0')) {
    const from = path.join(repository, file);
    if (file !== '' && !file.startsWith('test/') && existsSync(from)) await cp(from, path.join(folder, file));
  }
  await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
}
