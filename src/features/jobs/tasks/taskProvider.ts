import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { safe } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { useLocalPlatform } from '../../../account/localPlatform/useLocalPlatform.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { JobServices } from '../jobServices.ts';
import { TASK_TYPE } from '../model/jobNames.ts';
import { parseTaskDefinition, type TaskDefinition } from '../model/jobTask.ts';
import { runJobTask } from './runJobTask.ts';
import { TaskTerminal, type TaskWork } from './taskTerminal.ts';

const JOB_FILES = '**/*.job.json';
/** Maximum number of job files for which the editor offers tasks. Other files can be named in `tasks.json`. */
const MAX_FILES = 50;

/** Offers a task that starts the local platform, and one for each job file. Completes the tasks of `tasks.json`. */
export class TaskProvider implements vscode.TaskProvider {
  readonly #services: JobServices;

  constructor(services: JobServices) {
    this.#services = services;
  }

  async provideTasks(token: vscode.CancellationToken): Promise<vscode.Task[]> {
    const files = await vscode.workspace.findFiles(JOB_FILES, '**/node_modules/**', MAX_FILES, token);
    const ofFiles = files
      .sort((a, b) => a.path.localeCompare(b.path))
      .flatMap((uri) => {
        const folder = vscode.workspace.getWorkspaceFolder(uri);
        if (!folder) return [];
        const file = path.posix.relative(folder.uri.path, uri.path);
        return [this.#task({ task: 'run job', file }, folder)];
      });
    return [this.#task({ task: 'start platform' }, vscode.TaskScope.Workspace), ...ofFiles];
  }

  /** Returns a task of `tasks.json` with its execution. Undefined for an invalid definition, which the editor reports by its schema. */
  resolveTask({ definition, scope }: vscode.Task): vscode.Task | undefined {
    const parsed = parseTaskDefinition(definition);
    // The editor finds its own task again only with the same definition.
    return parsed && this.#task(parsed, scope ?? vscode.TaskScope.Workspace, definition);
  }

  #task(
    parsed: TaskDefinition,
    scope: vscode.WorkspaceFolder | vscode.TaskScope,
    definition: vscode.TaskDefinition = { type: TASK_TYPE, ...parsed },
  ): vscode.Task {
    const name = parsed.task === 'run job' ? `${parsed.task} ${parsed.file}` : parsed.task;
    // The definition of the callback has its variables resolved, such as `${file}`.
    const execution = new vscode.CustomExecution((resolved) => Promise.resolve(this.#terminal(resolved, scope)));
    // Without this list, the editor would ask for a problem matcher.
    return new vscode.Task(definition, scope, safe(name), 'Cloud Compute', execution, []);
  }

  #terminal(definition: unknown, scope: vscode.WorkspaceFolder | vscode.TaskScope): TaskTerminal {
    const services = this.#services;
    const parsed = parseTaskDefinition(definition);
    if (parsed?.task === 'start platform')
      return new TaskTerminal(startPlatformTask(services), l10n.t('Could not start the local platform'), services.log);
    return new TaskTerminal(
      async (print, signal) => {
        if (!parsed) throw new UserError(l10n.t('the task names no job file'));
        const { file, connection } = parsed;
        return runJobTask(services, { uri: uriOf(file, scope), connection })(print, signal);
      },
      l10n.t('Could not run the job'),
      services.log,
    );
  }
}

/** Returns the address of a file that is absolute or relative to the folder of its task. */
function uriOf(file: string, scope: vscode.WorkspaceFolder | vscode.TaskScope): vscode.Uri {
  const folder = typeof scope === 'object' ? scope : vscode.workspace.workspaceFolders?.[0];
  if (path.isAbsolute(file)) return vscode.Uri.file(file);
  if (!folder) throw new UserError(l10n.t`“${file}” is a relative path, and no folder is open`);
  return vscode.Uri.joinPath(folder.uri, file);
}

/**
 * Starts the local platform, or joins the running one, and makes it the current connection. The task ends once the platform accepts requests,
 * so tasks and debug configurations can depend on it. Its cancellation ends the wait and not the platform, which windows share.
 */
function startPlatformTask(services: AccountServices): TaskWork {
  return async (print, signal) => {
    print(l10n.t('Starting the local platform…'));
    const announcement = await orAborted(services.localPlatform.start(), signal);
    if (!announcement) {
      print(l10n.t('The task was canceled.'));
      return false;
    }
    await useLocalPlatform(services, announcement);
    print(l10n.t`The local platform accepts requests at ${announcement.baseUrl}`);
    return true;
  };
}

/** Resolves with undefined once the signal is aborted. */
function orAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
