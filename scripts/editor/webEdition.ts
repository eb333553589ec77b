import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder } from './cacheFolder.ts';
import { withLock } from './lock.ts';
import { ensureServerEdition, type ServerEdition } from './serverEdition.ts';

/** A build of VS Code for browsers in the form that @vscode/test-web finds in its data folder. */
export interface WebEdition {
  readonly testRunnerDataDir: string;
  readonly quality: 'stable';
  /** Undefined: @vscode/test-web downloads the newest build, unless its folder has it. */
  readonly commit: string | undefined;
}

/** Address at which @vscode/test-web looks for the newest build. */
const UPDATES = 'https://update.code.visualstudio.com/api/update/web-standalone/stable/latest';
const ANSWER_MS = 5_000;
/** Stands for the commit of the build, which must have 40 hexadecimal digits. */
const LOCAL_COMMIT = '0'.repeat(40);
/** Version of the files that this module writes. */
const FORMAT = 2;

/**
 * Resolves with a build of VS Code for browsers: the one that @vscode/test-web downloads, or the workbench of the server edition if that
 * download is not possible.
 */
export async function ensureWebEdition(log: (line: string) => void = () => undefined): Promise<WebEdition> {
  if (await isReachable()) {
    return { testRunnerDataDir: path.join(cacheFolder(), 'web'), quality: 'stable', commit: undefined };
  }
  log('Testing in the workbench of the server edition, because VS Code for browsers cannot be downloaded.');
  const server = await ensureServerEdition(log);
  const version = path.basename(path.join(server.entry, '../../../../..'));
  const target = path.join(cacheFolder(), `web-of-${version}-${FORMAT}`);
  if (!existsSync(target)) {
    const logWait = (): void => log(`Waiting for another process that is creating ${target}`);
    const create = async (): Promise<void> => {
      if (existsSync(target)) return; // Another process created it in the meantime.
      await mkdir(cacheFolder(), { recursive: true });
      const unfinished = await mkdtemp(`${target}.unfinished-`);
      try {
        await createFrom(server, path.join(unfinished, `vscode-web-stable-${LOCAL_COMMIT}`));
        await rename(unfinished, target);
      } catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        throw error;
      }
    };
    await withLock(`${target}.lock`, create, logWait);
  }
  return { testRunnerDataDir: target, quality: 'stable', commit: LOCAL_COMMIT };
}

async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch(UPDATES, { signal: AbortSignal.timeout(ANSWER_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Writes a folder with the layout of a build for browsers, which links to the files of the server edition. */
async function createFrom({ vscodeServer }: ServerEdition, folder: string): Promise<void> {
  const root = path.join(vscodeServer, '../..');
  const link = async (...name: string[]): Promise<void> => {
    await mkdir(path.join(folder, ...name.slice(0, -1)), { recursive: true });
    await symlink(path.join(root, ...name), path.join(folder, ...name));
  };
  for (const name of ['extensions', 'node_modules', 'product.json']) await link(name);
  for (const name of ['media', 'nls.messages.js', 'nls.keys.json']) await link('out', name);
  for (const name of ['base', 'code', 'editor', 'platform']) await link('out', 'vs', name);
  for (const name of ['api', 'browser', 'contrib', 'services']) await link('out', 'vs', 'workbench', name);
  const workbench = path.join(root, 'out', 'vs', 'code', 'browser', 'workbench');
  const target = path.join(folder, 'out', 'vs', 'workbench', 'workbench.web.main.internal');
  await writeFile(`${target}.js`, asLibrary(await readFile(path.join(workbench, 'workbench.js'), 'utf8')));
  await writeFile(`${target}.css`, '@import url("../code/browser/workbench/workbench.css");\n');
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(path.join(folder, 'version'), LOCAL_COMMIT);
}

/** Options of the server edition that VS Code for browsers does not have. */
const OPTIONS = '{isEnabledFileDownloads:true,isEnabledFileUploads:true,isEnabledCoderGettingStarted:false}';

/**
 * Turns the script of the workbench into the library that @vscode/test-web uses. The script ends with a function that opens the workbench
 * of a server. The library exports the names that this function uses instead. The server edition stores data of the user on its server,
 * and the library stores them in the browser, like VS Code for browsers.
 *
 * @throws Error if the script has another form
 */
function asLibrary(script: string): string {
  const found = (pattern: RegExp): RegExpExecArray => {
    const match = pattern.exec(script);
    if (!match) throw new Error(`The workbench does not match ${pattern.source}.`);
    return match;
  };
  const end = found(
    /\(function\(\)\{let \w+=\w+\.document\.getElementById\("vscode-workbench-web-configuration"\)/,
  ).index;
  const [, create = ''] = found(/;([\w$]+)\(\w+\.document\.body,\{\.\.\./);
  const [, uri = ''] = found(/folderUri:([\w$]+)\.revive\(/);
  const [, emitter = ''] = found(/this\._onCallback=this\._register\(new ([\w$]+)\)/);
  const [folderOnServer] = found(
    /[\w$]+\([\w$]+\.file\(this\.userDataPath\)\.with\(\{scheme:\w+\.vscodeRemote\}\),"User"\)/,
  );
  return [
    script.slice(0, end).replace(folderOnServer, () => `${uri}.file("/User").with({scheme:"vscode-userdata"})`),
    `export const create = (element, options) => ${create}(element, { ...${OPTIONS}, ...options });`,
    `export { ${uri} as URI, ${emitter} as Emitter };`,
  ].join('\n');
}
