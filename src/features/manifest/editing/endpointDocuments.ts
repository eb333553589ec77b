import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiError } from '../../../client/apiError.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import { codeLens } from '../../../kit/marks.ts';
import { shown } from '../../../text/shownText.ts';
import { accountOf } from '../../../account/connections/storedConnections.ts';
import { requireConnection, connectionOfDocument } from '../../../account/connections/requireConnection.ts';
import { hiddenValues } from '../../../account/secrets/hiddenValues.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { diagnose } from '../../../account/diagnosis/diagnose.ts';
import type { NextStep } from '../../../account/diagnosis/diagnosis.ts';
import { explanationOf, type Explanation } from '../../../account/diagnosis/explanation.ts';
import { observe } from '../../../account/diagnosis/observe.ts';
import {
  endpointAddresses,
  type DocumentAddress,
  type DocumentKind,
} from '../../../account/endpoints/endpointAddress.ts';

/** The endpoint at the start of an edit. */
export interface EditBase {
  readonly endpoint: Endpoint;
  readonly connectionId: string;
  /** Account that the endpoint belongs to, as a value of `accountOf`. */
  readonly account: string;
}

interface EndpointContent {
  readonly text: string;
  /** The start of an edit. */
  readonly base?: EditBase;
  readonly steps?: Explanation['steps'];
  readonly isLive?: boolean;
}

/** Saves an edit and resolves with the updated endpoint. Rejects with the reason if the edit was not saved. */
export type SaveEdit = (uri: vscode.Uri, text: string, base: EditBase) => Promise<Endpoint>;

const UPDATE_LENS = codeLens(0, {
  title: shown`$(cloud-upload) Update Endpoint…`,
  tooltip: l10n.t(
    'Shows the differences, asks for confirmation, and updates the endpoint. Saving the file does the same.',
  ),
  command: 'workbench.action.files.save',
});

/** Provides the documents of endpoints: the endpoint as YAML, its editable manifest, and its diagnosis. */
export class EndpointDocuments {
  readonly #services: AccountServices;
  readonly #save: SaveEdit;
  readonly #documents: Documents<DocumentAddress, EndpointContent>;

  constructor(services: AccountServices, shell: DocumentShell, save: SaveEdit) {
    this.#services = services;
    this.#save = save;
    this.#documents = new Documents<DocumentAddress, EndpointContent>({
      addresses: endpointAddresses,
      shell,
      clock: services.clock,
      read: (address, uri) => (address.kind === 'original' ? this.#original(uri) : this.#read(address)),
      writer: ({ kind }) => (kind === 'edit' ? (uri, text) => this.#write(uri, text) : undefined),
      lenses: ({ steps = [] }, _document, { kind }) =>
        kind === 'edit'
          ? [UPDATE_LENS]
          : steps.map(({ line, step: { title, why, command, node } }) =>
              codeLens(line, { title, tooltip: why, command, arguments: [node] }),
            ),
    });
  }

  register(): vscode.Disposable {
    const subscription = this.#services.endpoints.onDidChange(({ ids }) => this.#follow(ids));
    return vscode.Disposable.from(this.#documents.register(), subscription);
  }

  /**
   * Opens a document of the current connection with its current content. Keeps unsaved changes. If they belong to another account, such as
   * that of another team, they become changes of the endpoint of the current account.
   */
  async open(kind: DocumentKind, endpointId: string, name: string): Promise<vscode.TextDocument> {
    const { profile } = requireConnection(this.#services.connections);
    const address = { kind, connectionId: profile.id, endpointId };
    const uri = this.#documents.uriOf(address, kind === 'explain' ? l10n.t`Explain ${name}` : name);
    const open = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    const edited = open?.isDirty ? this.#documents.contentOf(uri) : undefined;
    if (edited?.base?.account !== accountOf(profile)) {
      const read = await this.#read(address);
      this.#documents.put(uri, edited ? { ...read, text: edited.text } : read);
    }
    return vscode.workspace.openTextDocument(uri);
  }

  /** Returns the next steps of an explanation that is open. */
  stepsOf(uri: vscode.Uri): readonly NextStep[] {
    return (this.#documents.contentOf(uri)?.steps ?? []).map(({ step }) => step);
  }

  /** Saves an edit once the user has confirmed the differences. */
  async #write(uri: vscode.Uri, text: string): Promise<void> {
    const { base } = await this.#documents.load(uri);
    if (!base) throw vscode.FileSystemError.NoPermissions(uri);
    const endpoint = await this.#save(uri, text, base);
    // Keeps the text with its comments. The next edit is compared with the updated endpoint.
    this.#documents.put(uri, { text, base: { ...base, endpoint } });
  }

  async #read({ kind, connectionId, endpointId }: DocumentAddress): Promise<EndpointContent> {
    const { connections, endpoints } = this.#services;
    const { client, profile } = await connectionOfDocument(connections, connectionId);
    if (endpoints.state.kind !== 'ready') await endpoints.refresh();
    if (kind === 'explain') return this.#explain(endpointId);
    const endpoint = await client.getEndpoint({ id: endpointId }).catch((error: unknown) => {
      throw error instanceof ApiError && error.kind === 'notFound'
        ? vscode.FileSystemError.FileNotFound(l10n.t('This endpoint does not exist on the connected platform.'))
        : error;
    });
    const { editableYaml, endpointYaml } = await import('./endpointText.ts');
    const hidden = await hiddenValues(this.#services);
    if (kind === 'yaml') return { text: endpointYaml(endpoint, hidden) };
    const base = { endpoint, connectionId, account: accountOf(profile) };
    return { text: editableYaml(endpoint, this.#platform, hidden), base };
  }

  async #original(uri: vscode.Uri): Promise<EndpointContent> {
    const edit = endpointAddresses.sibling(uri, { kind: 'edit' });
    const { base } = (edit && this.#documents.contentOf(vscode.Uri.from(edit))) ?? {};
    if (!base) throw vscode.FileSystemError.FileNotFound(l10n.t('This endpoint is not being edited.'));
    const { editableYaml } = await import('./endpointText.ts');
    const text = editableYaml(base.endpoint, this.#platform, await hiddenValues(this.#services));
    return { text, isLive: true };
  }

  get #platform(): string {
    return this.#services.connections.profile?.name ?? l10n.t('the platform');
  }

  async #explain(endpointId: string): Promise<EndpointContent> {
    const seen = await observe(this.#services, endpointId);
    if (!seen) throw vscode.FileSystemError.FileNotFound(l10n.t('The endpoint no longer exists.'));
    return explanationOf(seen.snapshot, diagnose(seen), new Date(seen.now));
  }

  async #update(uri: vscode.Uri, endpoint: Endpoint): Promise<void> {
    try {
      const [{ endpointYaml }, hidden] = await Promise.all([import('./endpointText.ts'), hiddenValues(this.#services)]);
      // The document can have been hidden in the meantime.
      if (this.#documents.contentOf(uri)) this.#documents.put(uri, { text: endpointYaml(endpoint, hidden) });
    } catch (error) {
      this.#services.log.error('Could not update an open endpoint document', error);
    }
  }

  /** Updates the open read-only documents of changed endpoints. */
  #follow(ids: ReadonlySet<string>): void {
    const current = this.#services.connections.profile?.id;
    for (const { uri, address } of this.#documents.known) {
      if (address.kind !== 'yaml' || address.connectionId !== current || !ids.has(address.endpointId)) continue;
      const snapshot = this.#services.endpoints.find(address.endpointId);
      if (snapshot) void this.#update(uri, snapshot.endpoint);
    }
  }
}
