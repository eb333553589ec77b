import * as vscode from 'vscode';

/** The extension under test. */
export function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension('cloud-compute.cloud-compute');
  if (found === undefined) {
    throw new Error(
      'The editor did not find the extension cloud-compute.cloud-compute. Check that its package.json is valid.',
    );
  }
  return found;
}

/** Activates the extension and returns it. */
export async function activated(): Promise<vscode.Extension<unknown>> {
  const found = extension();
  await found.activate();
  return found;
}

/** Maximum time, in ms, to wait for an event. It exceeds what a busy machine needs, and the timeouts of the tests are longer. */
const WAIT_MS = 120_000;

/**
 * Resolves with the first event that `accepts` returns true for. Call it before the action that fires the event:
 * `const shown = nextEvent(vscode.window.onDidChangeActiveTextEditor, …); await act(); await shown;`
 */
export function nextEvent<T>(
  event: vscode.Event<T>,
  accepts: (value: T) => boolean = () => true,
  timeoutMs = WAIT_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      subscription.dispose();
      reject(new Error(`No matching event within ${timeoutMs} ms`));
    }, timeoutMs);
    const subscription = event((value) => {
      if (accepts(value)) {
        clearTimeout(timer);
        subscription.dispose();
        resolve(value);
      }
    });
  });
}

/**
 * Resolves with the result of `condition` once it is neither undefined nor false. Evaluates the condition now and after each of `events`.
 * `const [error] = await waitFor([vscode.languages.onDidChangeDiagnostics], () => nonEmpty(vscode.languages.getDiagnostics(uri)));`
 */
export async function waitFor<T>(
  events: readonly vscode.Event<never>[],
  condition: () => T | undefined | false,
  timeoutMs = WAIT_MS,
): Promise<T> {
  const holds = (value: T | undefined | false): value is T => value !== undefined && value !== false;
  const now = condition();
  if (holds(now)) {
    return now;
  }
  return new Promise((resolve, reject) => {
    const subscriptions: vscode.Disposable[] = [];
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      subscriptions.forEach((one) => void one.dispose());
      end();
    };
    const timer = setTimeout(
      () =>
        settle(() => reject(new Error(`The condition was not met within ${timeoutMs} ms: ${condition.toString()}`))),
      timeoutMs,
    );
    const look = (): void => {
      try {
        const value = condition();
        if (holds(value)) {
          settle(() => resolve(value));
        }
      } catch (error) {
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    };
    subscriptions.push(...events.map((event) => event(look)));
  });
}

/**
 * Creates a file or a folder, and resolves once the editor has reported it. Create a folder in this way before files whose creation the
 * extension must notice, because the editor can miss a file that appears right after its folder.
 */
export async function reported(glob: string, create: () => Thenable<void>): Promise<void> {
  const watcher = vscode.workspace.createFileSystemWatcher(glob);
  const event = nextEvent(watcher.onDidCreate);
  await create();
  await event;
  watcher.dispose();
}

/** Returns the array, or undefined when it is empty, as a condition for `waitFor`. */
export function nonEmpty<T>(array: readonly T[]): readonly [T, ...T[]] | undefined {
  const [first, ...rest] = array;
  return first === undefined ? undefined : [first, ...rest];
}

/** Returns the open workspace folder, a copy of the sample workspace that tests can change. */
export function workspaceFolder(): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) {
    throw new Error('No folder is open in the editor');
  }
  return folder.uri;
}

/** Replaces functions of the editor's window during an action. */
export async function stubbed(functions: object, action: () => Thenable<unknown>): Promise<void> {
  const window = vscode.window as unknown as Record<string, unknown>;
  const originals = Object.fromEntries(Object.keys(functions).map((name) => [name, window[name]]));
  Object.assign(window, functions);
  try {
    await action();
  } finally {
    Object.assign(window, originals);
  }
}
