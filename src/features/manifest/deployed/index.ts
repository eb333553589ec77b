import * as vscode from 'vscode';
import type { DocumentShell } from '../../../kit/documents/documentShell.ts';
import { registerFileMarks } from '../../../kit/fileDecorations.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import type { PriceOf } from '../create/prices.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileSelector } from '../manifestFiles.ts';
import type { CheckOptions } from '../model/manifestFile.ts';
import { DeployedCodeLenses } from './deployedCodeLenses.ts';
import { DeployedDocuments } from './deployedDocuments.ts';
import { DeployedMarks } from './deployedMarks.ts';
import type { DeployedServices } from './deployedServices.ts';
import { DeployedStatus } from './deployedStatus.ts';
import { Deployment } from './deployment.ts';
import { EndpointLinks } from './endpointLinks.ts';

export interface DeployedOptions {
  readonly models: ManifestModels;
  /** Shell of the left sides of comparisons. */
  readonly shell: DocumentShell;
  /** Returns the platform to check for. */
  readonly options: () => CheckOptions;
  /** Returns the price of a worker. Default: no price is known. */
  readonly priceOf?: PriceOf;
}

/** Registers the comparison of manifests with their endpoints: CodeLenses and states. */
export function registerDeployed(
  services: AccountServices,
  { models, options, shell, priceOf = () => undefined }: DeployedOptions,
): vscode.Disposable & { readonly deployed: DeployedServices } {
  const { context, connections } = services;
  const links = new EndpointLinks(context.workspaceState);
  const deployment = new Deployment(services, links);
  const documents = new DeployedDocuments({ services, models, deployment }, shell);
  const marks = new DeployedMarks({ connections, models, deployment, options });
  const lenses = new DeployedCodeLenses({ connections, models, deployment, priceOf });
  const deployed: DeployedServices = { services, models, links, deployment, documents, priceOf };
  const registered = vscode.Disposable.from(
    links,
    links.onDidChange(() => {
      if (connections.hosted.some(({ id }) => links.of(id).length > 0)) services.completedSteps.complete('hosted');
    }),
    deployment,
    documents.register(),
    marks,
    registerFileMarks(marks),
    lenses,
    vscode.languages.registerCodeLensProvider(fileSelector, lenses),
    new DeployedStatus({ ...services, models, deployment }),
  );
  return Object.assign(registered, { deployed });
}
