import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { showError } from '../../../kit/errors.ts';
import { showPage, type PageHost } from '../../../kit/panels.ts';
import { UserError } from '../../../kit/userError.ts';
import { foreign, safe, shown } from '../../../text/shownText.ts';
import type {
  JobFormField,
  JobFormPath,
  JobFormToHost,
  JobFormToWebview,
  JobFormView,
} from '../../../webviews/jobForm/messages.ts';
import { jobFileName, openDraft } from '../jobFiles.ts';
import { formFields } from '../model/form/fields.ts';
import { valueAt } from '../model/positionedJson.ts';
import { changesForValue } from '../model/jobFileChanges.ts';
import { readJobFile } from '../model/checkJobFile.ts';
import type { RunKind } from '../model/jobInput.ts';
import type { JsonLanguage } from '../model/schema/jsonLanguage.ts';
import type { InputSchema } from '../model/schema/schemaFiles.ts';
import { endpointOfFile } from '../chooseEndpoint.ts';
import { submitInput, type RunCommandServices } from '../run/runJob.ts';
import type { FormDraft } from './formDraft.ts';
import { fileAt, fileFormAt, valueOfFile, type FormFile } from './formFiles.ts';
import { rememberedInput, reopenState, type FormValueStore, type FormTarget } from './formValueStore.ts';
import { FormPictures } from './formPictures.ts';
import { formContent, readInput, JOB_FORM_PAGE, type FormContent } from './formView.ts';

interface Content {
  readonly fields: readonly JobFormField[];
  readonly source: string;
  readonly content: FormContent;
}

const NO_SCHEMA: Pick<Content, 'fields' | 'source'> = { fields: [], source: '' };

/** Host side of the form for the input of a job. The text of the draft is the only state of its values. */
export class JobFormPanel implements vscode.Disposable {
  readonly #services: RunCommandServices;
  readonly #remembered: FormValueStore;
  readonly #panel: vscode.WebviewPanel;
  readonly #page: PageHost<JobFormToWebview>;
  readonly #subscriptions: vscode.Disposable;
  readonly draft: FormDraft;
  readonly target: FormTarget;
  #language: JsonLanguage | undefined;
  /** The fields of a schema. A schema that did not change has the same object. */
  #known: { readonly input: InputSchema; readonly fields: readonly JobFormField[] } | undefined;
  /** Changes and runs, one after the other. */
  #queue: Promise<void> = Promise.resolve();
  #isUpdating = false;
  #isStale = false;
  #isReady = false;
  readonly #pictures = new FormPictures();
  #revision = 0;
  #refusals = 0;
  #fileFailure: JobFormView['fileFailure'];
  /** JSON of the values that are stored in case of a reload. */
  #stored: string | undefined;

  constructor(
    services: RunCommandServices,
    {
      panel,
      draft,
      target,
      remembered,
    }: { panel: vscode.WebviewPanel; draft: FormDraft; target: FormTarget; remembered: FormValueStore },
  ) {
    const { context, log, manifests, connections } = services;
    this.#services = services;
    this.#remembered = remembered;
    this.#panel = panel;
    this.draft = draft;
    this.target = target;
    this.#page = showPage(panel, JOB_FORM_PAGE, { context, log, onMessage: (message) => this.#enqueue(message) });
    this.#subscriptions = vscode.Disposable.from(
      draft,
      this.#page.subscription,
      draft.onDidChange(() => this.#update()),
      manifests.onDidChange(() => this.#update()),
      connections.onDidChange(() => this.#update()),
      panel.onDidChangeViewState(() => {
        if (!panel.visible) this.#isReady = false;
      }),
      panel.onDidDispose(() => this.dispose()),
    );
  }

  get isActive(): boolean {
    return this.#panel.active;
  }

  reveal(): void {
    this.#panel.reveal();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Forgets the values that were stored in case of a reload. Called when the user closes the form. */
  forget(): void {
    this.#storeOpen(undefined);
  }

  /** Opens the JSON beside the form. From then on, both are in step. */
  async editAsJson(): Promise<void> {
    const { document } = this.draft;
    if (document) {
      await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
      return;
    }
    const { manifest } = await this.#services.manifests.ofEndpoint(this.target.name);
    const folder = manifest && vscode.Uri.joinPath(manifest.place, '..');
    this.draft.attach(await openDraft('new', this.draft.text, folder, vscode.ViewColumn.Beside));
  }

  #enqueue(message: JobFormToHost): void {
    this.#queue = this.#queue
      .then(() => this.#handle(message))
      .catch((error: unknown) => {
        showError(this.#services.log, error, ATTEMPTS[message.type] ?? l10n.t('Could not change the input'));
      });
  }

  async #handle(message: JobFormToHost): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#pictures.forget();
        break;
      case 'editAsJson':
        return this.editAsJson();
      case 'change':
        this.#revision = message.revision;
        this.#fileFailure = undefined;
        await this.#change(message.path, message.value);
        break;
      case 'chooseFile': {
        const [uri] =
          (await vscode.window.showOpenDialog({ title: l10n.t('File for the Input'), openLabel: l10n.t('Insert') })) ??
          [];
        if (uri) await this.#setFile(message, () => fileAt(uri));
        else this.#revision = message.revision;
        break;
      }
      case 'fileUri':
        await this.#setFile(message, () => fileAt(vscode.Uri.parse(message.uri, true)));
        break;
      case 'fileBytes': {
        const { name, bytes } = message;
        await this.#setFile(message, () =>
          Promise.resolve({ name, size: bytes.length, content: () => Promise.resolve(bytes) }),
        );
        break;
      }
      case 'fileTooLarge': {
        const { name, bytes } = message;
        await this.#setFile(message, () =>
          Promise.resolve({ name, size: bytes, content: () => Promise.reject(new Error(name)) }),
        );
        break;
      }
      case 'run':
        return this.#run(message.kind, message.force);
    }
    this.#update();
  }

  async #change(path: JobFormPath, value: unknown): Promise<void> {
    const { text } = this.draft;
    const read = readInput(text);
    if ('blocked' in read) return;
    const changes = changesForValue(text, path, value);
    if (changes.length > 0 && !(await this.draft.apply(changes)))
      throw new UserError(l10n.t('the editor did not accept the change of the JSON'));
  }

  /** Sets a value to a file, or shows why it cannot be one. */
  async #setFile(
    { path, revision }: { readonly path: JobFormPath; readonly revision: number },
    fileOf: () => Promise<FormFile>,
  ): Promise<void> {
    this.#revision = revision;
    this.#fileFailure = undefined;
    try {
      const { fields } = await this.#schema();
      const form = fileFormAt(fields, path);
      if (!form) return;
      const { text } = this.draft;
      const rest = Buffer.byteLength(text) - lengthAt(text, path);
      await this.#change(path, await valueOfFile(await fileOf(), form, rest));
    } catch (error) {
      const message =
        error instanceof UserError ? error.message : l10n.t`The file cannot be read: ${(error as Error).message}`;
      this.#fileFailure = { path, message: foreign(message).text };
    }
  }

  async #run(kind: RunKind, force: boolean): Promise<void> {
    const { fields, content } = await this.#content();
    const { input, hasProblems } = content;
    if (!input || (hasProblems && !force)) {
      this.#refusals++;
      this.#update();
      return;
    }
    const { document } = this.draft;
    const { name, on } = this.target;
    if (on) await this.#remembered.put(on.connectionId, on.endpointId, fields, input);
    if (document) {
      const command = kind === 'run' ? 'cloudCompute.jobs.run' : 'cloudCompute.jobs.runAndWait';
      void vscode.commands.executeCommand(command, document.uri);
      return;
    }
    const { body, problem } = readJobFile(this.draft.text);
    if (!body) throw new UserError(problem);
    const { connections, endpoints, manifests } = this.#services;
    const known = on && connections.profile?.id === on.connectionId ? endpoints.find(on.endpointId) : undefined;
    const place =
      (await manifests.ofEndpoint(name)).manifest?.place ??
      vscode.Uri.from({ scheme: 'untitled', path: 'new.job.json' });
    const snapshot = known ?? (await endpointOfFile(this.#services, { uri: place, endpoint: name }));
    // Not awaited, so that values can be changed while the job runs.
    if (snapshot)
      submitInput(this.#services, snapshot, { body }, kind).catch((error: unknown) =>
        showError(this.#services.log, error, l10n.t('Could not run the job')),
      );
  }

  /** Sends the present content. Several changes at once are sent together. */
  #update(): void {
    if (this.#isUpdating) {
      this.#isStale = true;
      return;
    }
    this.#isUpdating = true;
    this.#send()
      .catch((error: unknown) => this.#services.log.error('Could not show the form', error))
      .finally(() => {
        this.#isUpdating = false;
        if (!this.#isStale) return;
        this.#isStale = false;
        this.#update();
      });
  }

  async #send(): Promise<void> {
    if (!this.#isReady) return;
    const revision = this.#revision;
    const { fields, source, content } = await this.#content();
    const { problems, blocked, input } = content;
    const { values, pictures } = this.#pictures.of(content.values, input);
    const { document } = this.draft;
    const connection = this.#services.connections.profile?.name;
    this.#panel.title = safe(shown`Run ${this.target.name}`);
    const storable = input && rememberedInput(fields, input);
    if (!document && storable) this.#storeOpen(storable);
    for (const picture of pictures) this.#page.send({ type: 'picture', picture });
    this.#page.send({
      type: 'view',
      view: {
        endpoint: foreign(this.target.name).text,
        ...(connection !== undefined && { connection: foreign(connection).text }),
        source: foreign(source).text,
        ...(document && { file: jobFileName(document.uri) }),
        ...{ fields, values, problems, blocked, revision },
        fileFailure: this.#fileFailure,
        refusals: this.#refusals,
        reopen: reopenState(this.target, document, storable),
      },
    });
  }

  #storeOpen(input: Record<string, unknown> | undefined): void {
    const { on } = this.target;
    const text = JSON.stringify(input);
    if (!on || text === this.#stored) return;
    this.#stored = text;
    this.#remembered
      .putOpenForm(on, input)
      .catch((error: unknown) => this.#services.log.warn('Could not store the values of a form', error));
  }

  async #content(): Promise<Content> {
    const { input, fields, source, blocked } = await this.#schema();
    if (blocked !== undefined || !input) {
      const content = { input: undefined, values: [], problems: [], blocked, hasProblems: true };
      return { fields, source, content };
    }
    const content = await formContent(this.draft.text, fields, async (text) => {
      if (!this.#language) {
        const { JsonLanguage } = await import('../model/schema/jsonLanguage.ts');
        this.#language = new JsonLanguage({ files: this.#services.manifests.files });
      }
      return this.#language.check(text, [], input);
    });
    return { fields, source, content };
  }

  async #schema(): Promise<
    Pick<Content, 'fields' | 'source'> & { readonly input?: InputSchema; readonly blocked?: string }
  > {
    const { manifests } = this.#services;
    const { document } = this.draft;
    const own = document && (await manifests.of(document.uri, this.target.name));
    const {
      input,
      source = '',
      problem,
    } = (own?.input ?? own?.problem) ? own : await manifests.ofEndpoint(this.target.name);
    if (problem) return { ...NO_SCHEMA, blocked: l10n.t`The input schema cannot be used: ${problem.message}.` };
    if (!input) return { ...NO_SCHEMA, blocked: l10n.t('The endpoint no longer has an input schema.') };
    if (this.#known?.input !== input) {
      this.#known = { input, fields: formFields(input.schema) };
      // Files that the schema refers to can have changed.
      this.#language?.reset();
    }
    return { input, fields: this.#known.fields, source };
  }
}

const ATTEMPTS: Partial<Record<JobFormToHost['type'], string>> = {
  run: l10n.t('Could not run the job'),
  editAsJson: l10n.t('Could not open the JSON'),
};

/** Returns the length of the string at a path of the input, in UTF-16 code units. */
function lengthAt(text: string, path: JobFormPath): number {
  const read = readInput(text);
  const value = 'input' in read ? valueAt(read.input, path) : undefined;
  return typeof value === 'string' ? value.length : 0;
}
