import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient, type Client } from '../../src/client/client.ts';
import { createControlClient, type ControlClient } from '../../src/client/controlClient.ts';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { JOB_SCHEME } from '../../src/features/jobs/model/jobNames.ts';
import { platformProcess, type StartedPlatform } from '../../src/account/localPlatform/platformProcess.ts';
import { activated, extension, waitFor, workspaceFolder } from './support.ts';

const { executeCommand } = vscode.commands;
const { showErrorMessage, showWarningMessage, showInformationMessage, withProgress } = vscode.window;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A shared platform with the worker of `fixtures/results`, and the messages and progress of the extension. */
export class JobWorld {
  client!: Client;
  control!: ControlClient;
  /** Messages that the extension showed. */
  readonly messages: string[] = [];
  /** Texts of the progress notification. */
  readonly progress: string[] = [];
  /** Button that is chosen in each message that has it. */
  choice: string | undefined;
  readonly #messageShown = new vscode.EventEmitter<string>();
  readonly #progressShown = new vscode.EventEmitter<string>();
  readonly #window = vscode.window as Mutable<typeof vscode.window>;
  #files = 0;
  #cancellation: vscode.CancellationTokenSource | undefined;
  #platform!: StartedPlatform;
  #dataDir!: string;

  async start(): Promise<void> {
    await activated();
    this.#dataDir = await mkdtemp(path.join(tmpdir(), 'cloud-compute-jobs-'));
    await this.attach();
    this.#watch();
    await this.#setting().update('dataDirectory', this.#dataDir, vscode.ConfigurationTarget.Global);
    await executeCommand('cloudCompute.localPlatform.start');
  }

  /** Starts the platform, or attaches to it. */
  async attach(): Promise<void> {
    const script = path.join(extension().extensionPath, 'dist', 'platform.js');
    const log = vscode.window.createOutputChannel('Test of jobs', { log: true });
    this.#platform = await platformProcess({ script, dataDir: () => this.#dataDir, port: () => 0, log })();
    const options = { connection: this.#platform.announcement, fetch: globalThis.fetch };
    this.control = createControlClient(options);
    this.client = createClient(options);
  }

  async stop(): Promise<void> {
    Object.assign(this.#window, { showErrorMessage, showWarningMessage, showInformationMessage, withProgress });
    await executeCommand('workbench.action.closeAllEditors');
    await executeCommand('cloudCompute.localPlatform.stop');
    await executeCommand('notifications.clearAll');
    await this.#setting().update('dataDirectory', undefined, vscode.ConfigurationTarget.Global);
    await this.#platform.stop();
    await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 3 });
  }

  async reset(): Promise<void> {
    await executeCommand('workbench.action.closeAllEditors');
    await this.control.reset({});
    await executeCommand('cloudCompute.endpoints.refresh');
    this.messages.length = 0;
    this.progress.length = 0;
    this.choice = undefined;
  }

  /** Creates an endpoint with the worker of `fixtures/results`. Returns its ID. */
  async endpoint(name: string, changes: Partial<CreateEndpointBody> = {}): Promise<string> {
    const { id } = await this.client.createEndpoint({
      body: {
        name,
        type: 'QUEUE',
        scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
        workers: { min: 1, max: 1 },
        image: `process:${this.directory}`,
        cmd: ['node', 'handler.mjs'],
        cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
        disk: 5,
        ...changes,
      },
    });
    return id;
  }

  /** Directory of the worker. */
  get directory(): string {
    return path.join(extension().extensionPath, 'test/platform/fixtures/results');
  }

  /** Writes a job file, and runs it. Resolves once the command has ended. */
  async run(name: string, file: object, command = 'cloudCompute.jobs.run'): Promise<void> {
    // The editor would notice a change of a file that it has already read only later.
    const uri = vscode.Uri.joinPath(workspaceFolder(), `${name}-${++this.#files}.job.json`);
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(JSON.stringify(file)));
    await executeCommand(command, uri);
  }

  /** Cancels the progress notification. */
  cancel(): void {
    assert.ok(this.#cancellation);
    this.#cancellation.cancel();
  }

  /** Resolves once a progress text matches. */
  progressed(pattern: RegExp): Promise<string> {
    const found = () => this.progress.find((text) => pattern.test(text));
    return waitFor([this.#progressShown.event as vscode.Event<never>], found);
  }

  /** Resolves once a message matches. */
  told(pattern: RegExp): Promise<string> {
    const found = () => this.messages.find((text) => pattern.test(text));
    return waitFor([this.#messageShown.event as vscode.Event<never>], found);
  }

  #setting() {
    return vscode.workspace.getConfiguration('cloudCompute.localPlatform');
  }

  #watch(): void {
    const show = (message: string, ...buttons: unknown[]) => {
      this.messages.push(message);
      this.#messageShown.fire(message);
      return Promise.resolve(buttons.find((button) => button === this.choice) as never);
    };
    this.#window.showErrorMessage = show;
    this.#window.showWarningMessage = show;
    this.#window.showInformationMessage = show;
    this.#window.withProgress = async (_, task) => {
      this.#cancellation = new vscode.CancellationTokenSource();
      const report = ({ message = '' }: { message?: string }) => {
        this.progress.push(message);
        this.#progressShown.fire(message);
      };
      return task({ report }, this.#cancellation.token);
    };
  }
}

const documentEvents = [
  vscode.workspace.onDidOpenTextDocument,
  vscode.workspace.onDidChangeTextDocument,
  vscode.window.onDidChangeVisibleTextEditors,
] as vscode.Event<never>[];

/** Resolves with the visible document of a job whose path ends like this, once its text matches. */
export function jobDocument(suffix: string, pattern = /./): Promise<vscode.TextDocument> {
  return waitFor(documentEvents, () =>
    vscode.window.visibleTextEditors
      .map(({ document }) => document)
      .find((one) => one.uri.scheme === JOB_SCHEME && one.uri.path.endsWith(suffix) && pattern.test(one.getText())),
  );
}

/** Returns the titles and arguments of the lenses of a document. */
export async function lensesOf(uri: vscode.Uri): Promise<readonly vscode.Command[]> {
  await vscode.workspace.openTextDocument(uri);
  const lenses = await executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
  return lenses.flatMap(({ command }) => {
    return command ? [{ ...command, title: command.title.replaceAll('\u00a0', ' ') }] : [];
  });
}
