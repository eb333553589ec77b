// Runs the tests of this directory in VS Code for browsers, whose extension host is a web worker. @vscode/test-web serves the editor: its
// own download, or the workbench of the server edition where that download is not possible. Arguments are patterns of test files.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { globSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { open } from '@vscode/test-web';
import { chromium, type Page } from 'playwright-core';
import { browserFlags, ensureBrowser } from '../../scripts/editor/browser.ts';
import { build, repository } from '../../scripts/editor/build.ts';
import { freePort } from '../../scripts/editor/freePort.ts';
import { ensureWebEdition } from '../../scripts/editor/webEdition.ts';
import { PLATFORM_EXIT_CODES } from '../../src/contract/launch/platformExit.ts';
import { launchPlatform, PlatformStartError } from '../../src/machine/platformLaunch.ts';
import { resultsVariable, type TestResults } from '../support/reporter.ts';
import { asTestLine } from '../vscode/testLine.ts';
import { bundleTests } from './bundle.ts';
import { startCorsGateway } from './corsGateway.ts';

/** Maximum time without output, in ms, before the tests count as hung. */
const SILENCE_MS = 120_000;
const COUNTS_MARK = 'counts: ';

const log = (line: string): void => void process.stdout.write(`${line}\n`);
const patterns = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const files = globSync(patterns.length > 0 ? patterns : 'test/web/**/*.test.ts', { cwd: repository });

await build();
const executablePath = await ensureBrowser(log);
const edition = await ensureWebEdition(log);
const temporary = await mkdtemp(path.join(tmpdir(), 'cc-web-'));
const gateway = await startCorsGateway();
const { platform, apiKey, address: withoutCors } = await startPlatform(gateway.url);
gateway.forwardTo(withoutCors);
let exitCode = 1;
try {
  const workspace = path.join(temporary, 'workspace');
  const workerDirectory = path.join(temporary, 'worker');
  await cp(path.join(repository, 'samples', 'hello-queue'), workspace, { recursive: true });
  await cp(path.join(repository, 'samples', 'hello-queue', 'hello'), workerDirectory, { recursive: true });
  const extensionTestsPath = await bundleTests(files, path.join(repository, 'dist', 'test-web', 'index.cjs'), {
    url: gateway.url,
    withoutCors,
    apiKey,
    workerDirectory,
  });
  const listening = nextListeningPort();
  const editor = await open({
    browserType: 'none',
    extensionDevelopmentPath: repository,
    extensionTestsPath,
    folderPath: workspace,
    host: 'localhost',
    port: 0,
    testRunnerDataDir: edition.testRunnerDataDir,
    quality: edition.quality,
    ...(edition.commit === undefined ? {} : { commit: edition.commit }),
  });
  try {
    // Pages of the editor have origins below this host, which browsers resolve to this machine.
    const host = `localhost:${await listening}`;
    gateway.allow(host);
    exitCode = await runIn(`http://${host}`);
  } finally {
    editor.dispose();
  }
} catch (error) {
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
platform.child.stdin.end();
await platform.ended;
await gateway.close();
await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
// The server of @vscode/test-web keeps its connections open.
process.exit(exitCode);

/** Starts the platform behind a gateway, on another port if another program takes the first one. */
async function startPlatform(publicUrl: string) {
  for (;;) {
    // The platform announces the address of the gateway instead of its port.
    const port = String(await freePort());
    const platform = launchPlatform({
      script: path.join(repository, 'dist', 'platform.js'),
      flags: ['--port', port, '--in-memory', '--public-url', publicUrl],
      onLogLine: () => undefined,
    });
    const announced = await platform.announced;
    if (!(announced instanceof PlatformStartError))
      return { platform, apiKey: announced.apiKey, address: `http://127.0.0.1:${port}` };
    if (announced.exitCode !== PLATFORM_EXIT_CODES.portTaken) throw announced;
  }
}

/** Resolves with the port of the next server of this process. @vscode/test-web does not return its port. */
function nextListeningPort(): Promise<number> {
  const channel = 'tracing:net.server.listen:asyncEnd';
  return new Promise((resolve) => {
    const onListening = (message: unknown): void => {
      unsubscribe(channel, onListening);
      resolve(((message as { server: Server }).server.address() as AddressInfo).port);
    };
    subscribe(channel, onListening);
  });
}

/** Opens the editor, which runs the tests. Resolves with their exit code. */
async function runIn(url: string): Promise<number> {
  const browser = await chromium.launch({ executablePath, args: [...browserFlags] });
  try {
    return await testIn(await browser.newPage({ viewport: { width: 1280, height: 800 } }), url);
  } finally {
    await browser.close();
  }
}

async function testIn(page: Page, url: string): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const editorLog: string[] = [];
  const fail = (why: string): void =>
    ended.reject(new Error(`${why}\nThe last log lines of the editor:\n${editorLog.slice(-40).join('\n')}`));
  const silence = setTimeout(() => fail(`The tests printed nothing for ${SILENCE_MS / 1000} s.`), SILENCE_MS);
  const onLine = (line: string): void => {
    silence.refresh();
    if (line.startsWith(COUNTS_MARK)) writeCounts(line.slice(COUNTS_MARK.length));
    else log(line);
  };
  page.on('console', (message) => {
    editorLog.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => editorLog.push(error.stack ?? error.message));
  page.on('crash', () => fail('The page of the editor crashed.'));
  await page.exposeFunction('codeAutomationLog', (_type: string, args: readonly unknown[]) => {
    const message = args.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ');
    const line = asTestLine(message);
    if (line === undefined) editorLog.push(message);
    else onLine(line);
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => ended.resolve(code));
  await page.goto(url);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(silence);
  }
}

/** Writes the counts for scripts/test.ts. */
function writeCounts(json: string): void {
  const counts = JSON.parse(json) as Omit<TestResults, 'failedFiles'>;
  log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  const output = process.env[resultsVariable];
  if (output !== undefined) writeFileSync(output, JSON.stringify({ ...counts, failedFiles: {} }));
}
