import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { editorEnvironment } from './environment.ts';
import { installExtension } from './extensionFolder.ts';
import { startGroup, type ProcessGroup, type StopResult } from './processes.ts';
import { prepareProfile, type Settings } from './profile.ts';
import { ensureServerEdition, isServerEdition, type ServerEdition } from './serverEdition.ts';
import { welcomeExtension } from './welcomeExtension.ts';

export interface WorkbenchOptions {
  /** The folder to open. */
  readonly folder: string;
  /** The built extension: a repository to copy or link, or a VSIX file. */
  readonly extension: { readonly repository: string; readonly how: 'copy' | 'link' } | { readonly vsix: string };
  /** Whether an empty window opens the walkthrough. Default: false. */
  readonly welcome?: boolean;
  /** Port of the server. Default: 0, which selects a free port. Browsers store the layout and secrets per port. */
  readonly port?: number;
  /** Folder of settings, extensions, and extension storage. Default: a temporary folder, which `stop` deletes. */
  readonly userDataDir?: string;
  readonly settings?: Settings;
  /** Whether workspace trust is enabled. Default: false, which trusts all folders. */
  readonly workspaceTrust?: boolean;
  /** The whole environment of the editor. Default: `editorEnvironment()`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: (line: string) => void;
}

export interface Workbench {
  /** Address of the workbench with the folder. */
  readonly url: string;
  readonly port: number;
  readonly userDataDir: string;
  /** The server, the extension host, and all processes that the extension started. */
  readonly processes: ProcessGroup;
  /** Stops all processes. `killed` contains the processes that the extension started and that had to be killed. */
  readonly stop: () => Promise<StopResult>;
}

/** Starts the server edition of VS Code with the extension installed. */
export async function startWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const edition = await ensureServerEdition(options.log);
  const { node, entry } = edition;
  const userDataDir = options.userDataDir ?? (await mkdtemp(path.join(tmpdir(), 'cloud-compute-')));
  const extensionsDir = path.join(userDataDir, 'extensions');
  const where = [
    '--user-data-dir',
    userDataDir,
    '--extensions-dir',
    extensionsDir,
    '--config',
    path.join(userDataDir, 'config.yaml'),
  ];
  await prepareProfile(userDataDir, options.settings);
  if ('vsix' in options.extension) {
    await installVsix(edition, where, options.extension.vsix);
  } else {
    await installExtension(options.extension.repository, extensionsDir, options.extension.how);
  }
  if (options.welcome === true) await installExtension(welcomeExtension, extensionsDir, 'link');

  const address = `127.0.0.1:${options.port ?? 0}`;
  const listening = Promise.withResolvers<number>();
  const processes = startGroup(
    node,
    [
      entry,
      '--auth',
      'none',
      '--bind-addr',
      address,
      '--disable-telemetry',
      '--disable-update-check',
      ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
    ].concat(['--disable-getting-started-override', ...where, options.folder]),
    {
      env: options.env ?? editorEnvironment(),
      commandMarker: userDataDir,
      onLine: (line) => {
        const match = /HTTP server listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
        if (match !== null) {
          listening.resolve(Number(match[1]));
        }
      },
    },
  );
  void processes.exited.then((code) =>
    listening.reject(
      new Error(
        `The server edition of VS Code exited (${code}) before it listened on ${address}:\n${processes.lastLines()}`,
      ),
    ),
  );
  const stop = async (): Promise<StopResult> => {
    const { killed } = await processes.stop();
    if (options.userDataDir === undefined) {
      await rm(userDataDir, { recursive: true, force: true, maxRetries: 3 });
    }
    return { killed: killed.filter((one) => !isServerEdition(one)) };
  };
  try {
    const port = await listening.promise;
    const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(options.folder)}`;
    return { url, port, userDataDir, processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function installVsix({ node, entry }: ServerEdition, where: readonly string[], vsix: string): Promise<void> {
  const result = await execa(node, [entry, ...where, '--install-extension', vsix], {
    env: editorEnvironment(),
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  if (result.failed) {
    throw new Error(`${vsix} could not be installed:\n${result.all}`);
  }
}
