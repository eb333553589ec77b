import * as vscode from 'vscode';
import { Lazy } from '../../../kit/lazy.ts';
import type { JobFormOpener, JobServices } from '../jobServices.ts';
import type { RunCommandServices } from '../run/runJob.ts';
import type { JobForms } from './jobForms.ts';
import { isJobFile } from '../jobShells.ts';

/** The forms for inputs, whose code is loaded with the first one. */
export class LateForms implements JobFormOpener, vscode.Disposable {
  readonly #forms: Lazy<JobForms>;

  constructor(services: RunCommandServices) {
    this.#forms = new Lazy(async () => new (await import('./jobForms.ts')).JobForms(services));
  }

  async openForEndpoint(...args: Parameters<JobFormOpener['openForEndpoint']>): Promise<boolean> {
    return (await this.#forms.get()).openForEndpoint(...args);
  }

  async openForFile(uri: vscode.Uri): Promise<void> {
    await (await this.#forms.get()).openForFile(uri);
  }

  async restore(panel: vscode.WebviewPanel, stored: unknown): Promise<void> {
    await (await this.#forms.get()).restore(panel, stored);
  }

  async editAsJson(): Promise<void> {
    await this.#forms.value?.editAsJson();
  }

  dispose(): void {
    this.#forms.value?.dispose();
  }
}

/** Opens a form beside a job file. @param argument address of the file, or nothing for the one of the active editor */
export async function openForm({ forms }: Pick<JobServices, 'forms'>, argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri && isJobFile(uri)) await forms.openForFile(uri);
}
