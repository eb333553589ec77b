import path from 'node:path';
import * as vscode from 'vscode';
import { callAfter, type Clock } from '../../../client/clock.ts';
import { readJobFile } from '../model/checkJobFile.ts';
import { manifestFor, readWorkspaceManifests } from './jobTestTargets.ts';
import { textOf } from './jobTestTree.ts';

/** Delay between a save and the run, in ms. It combines the files of one command, such as Save All. */
const DEBOUNCE_MS = 300;

export interface ContinuousRunOptions {
  readonly clock: Clock;
  /** Returns the tests that the run includes, at the time of the call. */
  readonly tests: () => readonly vscode.TestItem[];
  /** Returns whether the workers run in directories of this machine. */
  readonly isLocal: () => boolean;
  /** Runs tests. The workers of the outdated ones must be replaced first. Must not reject. */
  readonly run: (tests: readonly vscode.TestItem[], outdated: ReadonlySet<vscode.TestItem>) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs tests again each time their job file, or a file in the directory of their local worker, is saved in the editor. Saves during a run
 * cause another run afterwards.
 */
export function runContinuously({ clock, tests, isLocal, run, onError }: ContinuousRunOptions): vscode.Disposable {
  const saved = new Map<string, vscode.Uri>();
  let cancelTimer: (() => void) | undefined;
  let running = false;
  let ended = false;

  const schedule = (): void => {
    cancelTimer?.();
    cancelTimer = callAfter(clock, DEBOUNCE_MS, () => {
      if (running || ended) return;
      running = true;
      rerun()
        .catch(onError)
        .finally(() => {
          running = false;
          if (saved.size > 0 && !ended) schedule();
        });
    });
  };
  const rerun = async (): Promise<void> => {
    const files = [...saved.values()];
    saved.clear();
    const { affected, outdated } = await affectedTests(tests(), files, isLocal());
    if (affected.length > 0 && !ended) await run(affected, outdated);
  };
  const saves = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
    saved.set(uri.toString(), uri);
    schedule();
  });
  return new vscode.Disposable(() => {
    ended = true;
    cancelTimer?.();
    saves.dispose();
  });
}

/** Returns the tests that saved files affect. The outdated ones have a saved file in the directory of their worker. */
async function affectedTests(
  tests: readonly vscode.TestItem[],
  saved: readonly vscode.Uri[],
  isLocal: boolean,
): Promise<{ readonly affected: readonly vscode.TestItem[]; readonly outdated: ReadonlySet<vscode.TestItem> }> {
  const names = new Set(saved.map(String));
  const paths = saved.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
  const outdated = new Set<vscode.TestItem>();
  if (isLocal && saved.some((uri) => !uri.path.endsWith('.job.json'))) {
    const manifests = await readWorkspaceManifests();
    for (const item of tests) {
      if (!item.uri) continue;
      const { file } = readJobFile((await textOf(item.uri)) ?? '');
      const { directory } = (file && manifestFor(item.uri, file.endpoint, manifests)) ?? {};
      if (directory !== undefined && paths.some((one) => isWorkerFile(one, directory))) outdated.add(item);
    }
  }
  return { affected: tests.filter((item) => names.has(item.id) || outdated.has(item)), outdated };
}

/** Returns whether a file can belong to the program of a worker. Job files and manifests do not. */
function isWorkerFile(file: string, directory: string): boolean {
  if (/\.(job\.json|endpoint\.(ya?ml|json))$/.test(file)) return false;
  const relative = path.relative(directory, file);
  return relative !== '' && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
}
