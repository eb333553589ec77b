import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { Documents } from '../../../kit/documents/documents.ts';
import { UserError } from '../../../kit/userError.ts';
import { connectionOfDocument } from '../../../account/connections/requireConnection.ts';
import { noFolder } from '../language/refusal.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileName, folderOf } from '../manifestFiles.ts';
import { hiddenValues } from '../../../account/secrets/hiddenValues.ts';
import { comparedValues } from '../../../account/secrets/valueSource.ts';
import type { Deployment } from './deployment.ts';
import { deployedAddresses, type DeployedAddress } from './deployedAddress.ts';

/** Delay between a change and the update of an open document, in ms. */
const UPDATE_AFTER_MS = 250;

interface Sources {
  readonly services: AccountServices;
  readonly models: ManifestModels;
  readonly deployment: Deployment;
}

/**
 * Provides read-only documents that show a deployed endpoint in the form of its manifest. They are the left side of *Compare with Deployed*.
 * Open documents follow the endpoint and the manifest.
 */
export class DeployedDocuments {
  readonly #sources: Sources;
  readonly #documents: Documents<DeployedAddress>;

  constructor(sources: Sources, shell?: DocumentShell) {
    this.#sources = sources;
    const { clock, log } = sources.services;
    this.#documents = new Documents<DeployedAddress>({
      addresses: deployedAddresses,
      shell,
      clock,
      read: async (address, { path }) => {
        try {
          return { text: await this.#read(address) };
        } catch (error) {
          log.debug(`Could not read ${path}`, error);
          throw error;
        }
      },
    });
  }

  register(): vscode.Disposable {
    const { deployment, models } = this.#sources;
    return vscode.Disposable.from(
      this.#documents.register(),
      deployment.onDidChange(() => this.#follow()),
      models.onDidRead(({ document }) => this.#follow(document.uri.toString())),
    );
  }

  /**
   * Reads a document of the current connection now, and returns its URI.
   *
   * @throws ApiError, NotConnectedError, and UserError
   */
  async prepare(address: Omit<DeployedAddress, 'file'>, { uri: file }: vscode.TextDocument): Promise<vscode.Uri> {
    const name = fileName(file).replace(/\.endpoint\.\w+$/, '');
    const uri = this.#documents.uriOf({ ...address, file: file.toString() }, name);
    await this.#documents.refresh(uri);
    return uri;
  }

  /** @throws ApiError, NotConnectedError, and UserError */
  async #read({ connectionId, endpointId, file: name, part: index }: DeployedAddress): Promise<string> {
    const { services, models } = this.#sources;
    const { connections, endpoints } = services;
    const { client, profile } = await connectionOfDocument(connections, connectionId);
    if (!endpoints.find(endpointId)) await endpoints.refresh();
    const endpoint = endpoints.find(endpointId)?.endpoint;
    if (!endpoint) throw new UserError(l10n.t('the endpoint no longer exists'));
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(name, true));
    const file = await models.read(document);
    const { manifest } = file.parts[index] ?? {};
    if (!manifest) throw new UserError(l10n.t('the manifest has errors'));
    const { compareWithDeployed, NoFolderError } = await import('../actions/compareWithDeployed.ts');
    const { deployedText } = await import('../actions/pullManifest.ts');
    const { readEnvValues } = await import('../actions/resolveBody.ts');
    const surroundings = { target: profile.kind, folder: folderOf(document.uri) };
    const { resolve } = await readEnvValues([manifest.env], comparedValues(services));
    const source = { manifest, resolve, ...surroundings };
    const comparison = await compareWithDeployed(client, source, endpoint).catch((error: unknown) => {
      throw error instanceof NoFolderError ? noFolder(document) : error;
    });
    return deployedText({ file, part: index, comparison, hidden: await hiddenValues(services), ...surroundings });
  }

  /**
   * Updates the open documents after a pause. A document keeps its text while its manifest has errors or its platform is not connected.
   *
   * @param file URI of the changed manifest. Default: all manifests.
   */
  #follow(file?: string): void {
    for (const { uri, address } of this.#documents.known)
      if (file === undefined || address.file === file) this.#documents.refreshSoon(uri, UPDATE_AFTER_MS);
  }
}
