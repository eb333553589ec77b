import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../../scripts/editor/build.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { startPlatform } from '../../src/platform/daemon/start.ts';
import { openFile, row, startLocalPlatform, createEndpoint, clickAction } from '../e2e/actions.ts';
import { openEditor, temporaryFolder, type Editor } from '../e2e/harness.ts';
import { report } from './compare.ts';
import { median } from './load.ts';

const ROUNDS = 3;
const ENDPOINTS = 1_000;
/** Time that the worker of the sample sleeps before it is ready and while it runs the job, in ms. */
const SAMPLE_SLEEP_MS = 5_000;

/** A duration, and the part of it that is spent in this extension and its platform, in ms. */
interface Times {
  readonly whole: number;
  readonly ours: number;
}

type Measurement = () => Promise<void>;

/** Measurements by name. */
const measurements: Readonly<Record<string, Measurement>> = {
  install: measureInstallation,
  job: measureJob,
  reload: measureReload,
  death: measureDeath,
  tree: measureTree,
};

export const parts = Object.keys(measurements);

/** Measures what a person waits for in a real editor. @param part name of a measurement */
export async function run(part = ''): Promise<void> {
  await measurements[part]?.();
}

function reportTimes(name: string, times: readonly Times[]): void {
  const whole = times.map((one) => one.whole);
  const share = (100 * median(times.map(({ ours }) => ours))) / median(whole);
  report({ name, unit: 'ms', ours: whole, note: `${share.toFixed(0)} % of it is ours` });
}

/** Each round is the first use of a new editor. Its start and the sleep of the sample are not ours. */
async function measureInstallation(): Promise<void> {
  const times: Times[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const world = await openWorldWithWorker();
    const { editor } = world;
    await openFile(editor, 'hello.job.json');
    // The tab appears before its editor has the focus.
    await editor.page.locator('.monaco-editor.focused .view-line', { hasText: '"world"' }).waitFor();
    await editor.page.keyboard.press('Control+Alt+R');
    await editor.page.locator('.view-line', { hasText: 'Hello, world!' }).first().waitFor();
    const whole = performance.now() - start;
    times.push({ whole, ours: start + whole - world.openedAt - SAMPLE_SLEEP_MS });
    await world.close();
  }
  reportTimes('start of a new editor to the first result', times);
}

/** The worker needs no time for a job of zero seconds, so everything but its run time is ours. */
async function measureJob(): Promise<void> {
  const world = await openWorldWithWorker();
  const { editor } = world;
  const { page } = editor;
  await clickAction(row(editor, /idle.* up \d/), 'Show Logs');
  await page.getByText('worker is ready').first().waitFor();
  const results: Times[] = [];
  const lines: Times[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await editor.runCommand('View: Close All Editors');
    const name = `round ${round}`;
    const job = { endpoint: 'hello', input: { name, seconds: 0 } };
    await writeFile(path.join(world.folder, 'daily.job.json'), JSON.stringify(job));
    await openFile(editor, 'daily.job.json');
    await page.locator('.monaco-editor.focused .view-line', { hasText: name }).waitFor();
    const start = performance.now();
    await page.keyboard.press('Control+Alt+R');
    const since = async (text: string): Promise<number> => {
      await page.locator('.view-line', { hasText: text }).first().waitFor();
      return performance.now() - start;
    };
    const [result, line] = await Promise.all([since(`Hello, ${name}!`), since(`greeting ${name} for`)]);
    const executed = await page.locator('.view-line', { hasText: '"executionTime"' }).first().innerText();
    results.push({ whole: result, ours: result - Number(/\d+/.exec(executed)?.[0] ?? 0) });
    lines.push({ whole: line, ours: line });
  }
  reportTimes('key press in a job file to the result', results);
  reportTimes('key press in a job file to the first log line', lines);
  await world.close();
}

async function measureReload(): Promise<void> {
  const world = await openWorldWithWorker();
  reportTimes('reload to a usable view, with a start of the platform', await reloads(world.editor, /^hello.*1 idle/));
  await world.close();
}

async function measureDeath(): Promise<void> {
  const { editor, close } = await openWorldWithWorker();
  const { page } = editor;
  const times: Times[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const platform = editor.workbench.processes.alive().find(({ command }) => command.includes('platform.js'));
    if (!platform) throw new Error('The platform does not run.');
    const start = performance.now();
    process.kill(platform.pid, 'SIGKILL');
    await page.getByText('Accepted jobs resume after a restart').waitFor();
    const whole = performance.now() - start;
    times.push({ whole, ours: whole });
    await editor.runCommand('Notifications: Clear All Notifications');
    await page.getByRole('button', { name: 'Restart Local Platform' }).first().click();
    await row(editor, /^hello.*1 idle/).waitFor();
  }
  reportTimes('killed platform to the notice in the view', times);
  await close();
}

/** The part of the editor ends with the activation of the extension. */
async function reloads(editor: Editor, shown: RegExp): Promise<readonly Times[]> {
  const times: Times[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = Date.now();
    await editor.reload();
    await row(editor, shown).waitFor();
    const end = Date.now();
    times.push({ whole: end - start, ours: end - (await activatedAt(editor)) });
  }
  return times;
}

/** Resolves with the time of the last activation in the log of the extension, in ms since the epoch. */
async function activatedAt({ workbench }: Editor): Promise<number> {
  const moments: number[] = [];
  for await (const file of glob('logs/**/*Cloud Compute*.log', { cwd: workbench.userDataDir })) {
    const text = await readFile(path.join(workbench.userDataDir, file), 'utf8');
    for (const [, day, time] of text.matchAll(/^(\S+) (\S+) \[info\] activated in/gm))
      moments.push(Date.parse(`${day}T${time}`));
  }
  return Math.max(...moments);
}

async function measureTree(): Promise<void> {
  const world = await openWorld();
  const { editor } = world;
  await seedEndpoints(path.join(editor.globalStorage, 'platform'));
  await startLocalPlatform(editor);
  await row(editor, /^endpoint-0000/).waitFor();
  const name = `reload to the first rows of ${ENDPOINTS} endpoints`;
  reportTimes(name, await reloads(editor, /^endpoint-0000/));
  await world.close();
}

/** Creates endpoints without workers in a data directory that no platform uses. */
async function seedEndpoints(dataDir: string): Promise<void> {
  const platform = await startPlatform({ dataDir });
  try {
    const { baseUrl, apiKey } = platform.announcement;
    const endpoints = Array.from({ length: ENDPOINTS }, (_, index) => ({
      ...{ id: `many${index}`, name: `endpoint-${String(index).padStart(4, '0')}`, type: 'QUEUE' },
      ...{ scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, workers: { min: 0, max: 1 } },
      ...{ image: 'process:/', args: 'true', cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5 },
    }));
    const response = await fetch(new URL(controlOperations.seed.path, baseUrl), {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ endpoints }),
    });
    if (!response.ok) throw new Error(await response.text());
  } finally {
    await platform.close();
  }
}

interface World {
  readonly editor: Editor;
  readonly folder: string;
  readonly openedAt: number;
  readonly close: () => Promise<void>;
}

/** Opens a new editor with the endpoint of the sample, whose worker is idle. */
async function openWorldWithWorker(): Promise<World> {
  const world = await openWorld();
  const { editor } = world;
  await startLocalPlatform(editor);
  await openFile(editor, 'hello.endpoint.yaml');
  await createEndpoint(editor);
  await row(editor, /^hello.*1 idle/).waitFor();
  return world;
}

/** Opens a new editor with the sample in its workspace. */
async function openWorld(): Promise<World> {
  const workspace = await temporaryFolder();
  await cp(path.join(repository, 'samples', 'hello-queue'), workspace.path, { recursive: true });
  const editor = await openEditor({ workspaceFolder: workspace.path });
  return {
    editor,
    folder: workspace.path,
    openedAt: performance.now(),
    close: async () => {
      await editor.close();
      await workspace.remove();
    },
  };
}
