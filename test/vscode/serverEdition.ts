#!/usr/bin/env node
// Runs the server edition of VS Code with the flags that @vscode/test-electron passes to the desktop edition. Runs the tests of
// `--extensionTestsPath` in its extension host and exits with their exit code.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { browserFlags, ensureBrowser } from '../../scripts/editor/browser.ts';
import { editorEnvironment } from '../../scripts/editor/environment.ts';
import { restful } from '../../scripts/editor/profile.ts';
import { startGroup } from '../../scripts/editor/processes.ts';
import { ensureServerEdition, isServerEdition } from '../../scripts/editor/serverEdition.ts';
import { registerCleanup } from '../../scripts/editor/shutdown.ts';
import { asTestLine } from './testLine.ts';

/** Maximum time without output, in ms, before the tests count as hung. */
const silenceMs = 300_000;

const log = (line: string): void => void process.stdout.write(`${line}\n`);
const { values, positionals } = parseArgs({ strict: false, allowPositionals: true });
const flag = (name: string): string => {
  const value = values[name];
  if (typeof value !== 'string') {
    throw new Error(`--${name}=… is missing`);
  }
  return value;
};
const folder = positionals[0] ?? process.cwd();
const dataDir = flag('user-data-dir');

const executablePath = await ensureBrowser(log);
const { node, vscodeServer } = await ensureServerEdition(log);
await mkdir(path.join(dataDir, 'data', 'Machine'), { recursive: true });
await writeFile(
  path.join(dataDir, 'data', 'Machine', 'settings.json'),
  // In a browser, the editor would save a changed file by itself after a second, and cancel a save of the tests at that moment.
  JSON.stringify({ ...restful, 'chat.disableAIFeatures': true, 'files.autoSave': 'off' }),
);

const listening = Promise.withResolvers<number>();
const server = startGroup(
  node,
  [vscodeServer, '--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms']
    // The server uses the path of the tests only with the smoke test driver.
    .concat(['--enable-smoke-test-driver', '--telemetry-level', 'off', '--disable-workspace-trust'])
    .concat(['--server-data-dir', dataDir, '--extensions-dir', flag('extensions-dir')]),
  {
    env: editorEnvironment(),
    commandMarker: dataDir,
    onLine: (line) => {
      const match = /Extension host agent listening on (\d+)/.exec(line);
      if (match !== null) {
        listening.resolve(Number(match[1]));
      }
    },
  },
);
const serverEnded = server.exited.then((code): never => {
  throw new Error(`The server edition of VS Code exited (${code}):\n${server.lastLines()}`);
});

const browser = await chromium.launch({
  executablePath,
  args: [...browserFlags],
  handleSIGINT: false,
  handleSIGTERM: false,
  handleSIGHUP: false,
});
registerCleanup({ stop: () => browser.close(), kill: () => undefined });

let exitCode = 1;
try {
  const port = await Promise.race([listening.promise, serverEnded]);
  exitCode = await Promise.race([runIn(await browser.newPage(), port), serverEnded]);
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
}
await browser.close();
const killed = (await server.stop()).killed.filter((one) => !isServerEdition(one));
if (killed.length > 0) {
  log(`These processes outlived the editor and were killed:\n${killed.map((one) => one.command).join('\n')}`);
  exitCode = 1;
}
process.exit(exitCode);

/** Opens the workbench, which runs the tests. Resolves with their exit code. */
async function runIn(page: Page, port: number): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const editorLog: string[] = [];
  const fail = (why: string): void =>
    ended.reject(new Error(`${why}\nThe last log lines of the editor:\n${editorLog.slice(-40).join('\n')}`));
  const silence = setTimeout(() => fail(`The tests printed nothing for ${silenceMs / 1000} s.`), silenceMs);

  await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
    const message = args.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ');
    const line = asTestLine(message);
    if (line === undefined) {
      editorLog.push(`${type}: ${message}`);
      return;
    }
    silence.refresh();
    log(line);
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => ended.resolve(code));
  page.on('crash', () => fail('The page of the editor crashed.'));
  // SecretStorage requests half of its key from the server, which only the hosted edition provides.
  await page.route('**/mint-key', (route) => route.fulfill({ body: Buffer.alloc(32, 7) }));

  const remote = (file: string): string => `vscode-remote://127.0.0.1:${port}${path.resolve(file)}`;
  const payload = ['extensionDevelopmentPath', 'extensionTestsPath'].map((name) => [name, remote(flag(name))]);
  const query = new URLSearchParams({ folder: path.resolve(folder), payload: JSON.stringify(payload) });
  await page.goto(`http://127.0.0.1:${port}/?${query.toString()}`);
  try {
    return await ended.promise;
  } finally {
    clearTimeout(silence);
  }
}
