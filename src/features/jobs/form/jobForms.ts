import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showMessage } from '../../../kit/messages.ts';
import { createPanel } from '../../../kit/panels.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { checkJobFile } from '../model/checkJobFile.ts';
import { formFields } from '../model/form/fields.ts';
import { defaultInput } from '../model/sampleInput.ts';
import { jobFileText } from '../model/jobInput.ts';
import type { JsonSchema } from '../model/schema/schemaFiles.ts';
import type { RunCommandServices } from '../run/runJob.ts';
import { FormDraft } from './formDraft.ts';
import { FormValueStore, readReopenState, type FormTarget, type ReopenState } from './formValueStore.ts';
import { JobFormPanel } from './jobFormPanel.ts';
import { FORM_VIEW_TYPE } from '../model/jobNames.ts';

/** The open forms for inputs of jobs: one for each endpoint or job file. */
export class JobForms implements vscode.Disposable {
  readonly #services: RunCommandServices;
  readonly #remembered: FormValueStore;
  readonly #open = new Set<JobFormPanel>();

  constructor(services: RunCommandServices) {
    this.#services = services;
    this.#remembered = new FormValueStore(services.context.workspaceState);
  }

  /** Opens a form for the input of an endpoint. Resolves with false if the endpoint has no schema with members. */
  async openForEndpoint({ endpoint: { id, name } }: EndpointSnapshot, connectionId: string): Promise<boolean> {
    const { input, problem } = await this.#services.manifests.ofEndpoint(name);
    if (problem) void showMessage('warning', shown`The input schema of “${name}” cannot be used: ${problem.message}.`);
    if (!input || !hasFields(input.schema)) return false;
    const isSame = ({ target, draft }: JobFormPanel) =>
      target.on?.endpointId === id && target.on.connectionId === connectionId && !draft.document;
    if (this.#reveal(isSame)) return true;
    const last = this.#remembered.get(connectionId, id) ?? this.#services.lastInputs.get(connectionId, id)?.input;
    const text = jobFileText({ endpoint: name, input: { ...defaultInput(input.schema), ...last } });
    this.#show(new FormDraft(text), { name, on: { connectionId, endpointId: id } });
    return true;
  }

  /** Opens a form beside a job file. @throws UserError if its endpoint has no schema with members */
  async openForFile(uri: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    if (this.#reveal(({ draft }) => draft.document === document)) return;
    const { endpoint } = checkJobFile(document.getText());
    const { manifest, input, problem } = await this.#services.manifests.of(uri, endpoint);
    if (problem) throw new UserError(shown`the input schema cannot be used: ${problem.message}`);
    if (!input || !hasFields(input.schema))
      throw new UserError(l10n.t('the endpoint of this file has no input schema'));
    this.#show(new FormDraft(document), { name: endpoint ?? manifest?.name ?? '' });
  }

  /** Shows a form again in a panel that the editor restored after a reload. Closes the panel if the form cannot be shown. */
  async restore(panel: vscode.WebviewPanel, stored: unknown): Promise<void> {
    const state = readReopenState(stored);
    const draft = state && (await this.#draftOf(state));
    if (!state || !draft) {
      panel.dispose();
      return;
    }
    const { name, on } = state;
    this.#adopt(panel, draft, { name, on });
  }

  async #draftOf({ name, file, on, input }: ReopenState): Promise<FormDraft | undefined> {
    if (file === undefined) {
      const latest = on && this.#remembered.ofOpenForm(on);
      return new FormDraft(jobFileText({ endpoint: name, input: { ...(latest ?? input) } }));
    }
    const document = await vscode.workspace
      .openTextDocument(vscode.Uri.parse(file, true))
      .then(undefined, () => undefined);
    return document && new FormDraft(document);
  }

  /** Opens the JSON of the active form. */
  async editAsJson(): Promise<void> {
    await [...this.#open].find(({ isActive }) => isActive)?.editAsJson();
  }

  dispose(): void {
    for (const form of this.#open) form.dispose();
  }

  #reveal(isWanted: (form: JobFormPanel) => boolean): boolean {
    const found = [...this.#open].find(isWanted);
    found?.reveal();
    return found !== undefined;
  }

  #show(draft: FormDraft, target: FormTarget): void {
    const column = draft.document ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    this.#adopt(createPanel(FORM_VIEW_TYPE, shown`Run ${target.name}`, column), draft, target);
  }

  #adopt(panel: vscode.WebviewPanel, draft: FormDraft, target: FormTarget): void {
    const form = new JobFormPanel(this.#services, { panel, draft, target, remembered: this.#remembered });
    this.#open.add(form);
    panel.onDidDispose(() => {
      this.#open.delete(form);
      form.forget();
    });
  }
}

function hasFields(schema: JsonSchema): boolean {
  return formFields(schema).length > 0;
}
