import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import type { CreateEndpointBody, Endpoint } from '../../src/contract/endpoint.ts';
import { isAlive } from '../../src/machine/processTable.ts';
import { hasPython, python } from './pythonSdk.ts';
import { afterwards, type Api, cleanUp, eventually, fixtures, platformForTest } from './support.ts';

/** What the handler of fixtures/preload returns. */
interface Report {
  readonly version: number;
  readonly pid: number;
  readonly parent: number;
  readonly size: number;
  readonly random: number;
  readonly name: string;
  readonly file: string;
}

describe('x-local.preload', () => {
  let api: Api;
  let directory: string;

  before(function () {
    if (process.platform === 'win32' || !hasPython()) this.skip();
  });

  beforeEach(async () => {
    directory = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-preload-')));
    afterwards(() => rm(directory, { recursive: true, force: true }));
    await cp(path.join(fixtures, 'preload'), directory, { recursive: true });
    ({ api } = await platformForTest());
  });

  afterEach(cleanUp);

  const create = (changes: Partial<CreateEndpointBody> = {}): Promise<Endpoint> =>
    api.createEndpoint({
      image: `process:${directory}`,
      cmd: [python, 'handler.py'],
      workers: { min: 1, max: 1 },
      'x-local': { preload: ['model:load'] },
      ...changes,
    });
  const write = (name: string, text: string) => writeFile(path.join(directory, name), text);
  const edit = async (name: string, change: (text: string) => string) =>
    write(name, change(await readFile(path.join(directory, name), 'utf8')));
  const save = (...names: string[]) =>
    api.call(controlOperations.restartWorkers, { body: { files: names.map((name) => path.join(directory, name)) } });
  const report = async (endpoint: Endpoint): Promise<Report> =>
    (await api.runSync(endpoint, { do: 'report' })).output as unknown as Report;
  const loads = async (): Promise<number> =>
    (await readFile(path.join(directory, 'loads'), 'utf8')).trim().split('\n').length;
  const saveVersion = async (version: number) => {
    await edit('handler.py', (text) => text.replace(/VERSION = \d+/, `VERSION = ${version}`));
    await save('handler.py');
  };

  it('keeps the model loaded when the handler is saved, and runs the new handler as the main program', async () => {
    const endpoint = await create();
    const first = await report(endpoint);
    await saveVersion(2);
    const second = await report(endpoint);
    await saveVersion(3);
    const third = await report(endpoint);
    assert.deepEqual([first, second, third].map(({ version }) => version), [1, 2, 3]);
    assert.equal(await loads(), 1);
    assert.equal(new Set([first, second, third].map(({ pid }) => pid)).size, 3);
    assert.equal(new Set([first, second, third].map(({ parent }) => parent)).size, 1);
    assert.equal(new Set([first, second, third].map(({ random }) => random)).size, 3);
    assert.deepEqual([third.name, third.file], ['__main__', path.join(directory, 'handler.py')]);
    assert.equal(isAlive(first.pid), false);
  });
});
