import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CommandId } from '../../../kit/commandIds.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { registerFileMarks } from '../../../kit/fileDecorations.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { AccountServices } from '../../../account/accountServices.ts';
import { choosePart, type ChosenPart } from '../create/choosePart.ts';
import type { PriceOf } from '../create/prices.ts';
import { registerDeployAll } from '../deployAll/index.ts';
import type { ManifestModels } from '../language/manifestModels.ts';
import { fileSelector } from '../manifestFiles.ts';
import type { CheckOptions } from '../model/manifestFile.ts';
import { DeployedCodeLenses } from './deployedCodeLenses.ts';
import { DeployedDocuments } from './deployedDocuments.ts';
import { DeployedMarks } from './deployedMarks.ts';
import type { DeployedServices } from './chooseDeployed.ts';
import { DeployedStatus } from './deployedStatus.ts';
import { addressOf, Deployment } from './deployment.ts';
import { EndpointLinks } from './endpointLinks.ts';

export interface DeployedOptions {
  readonly models: ManifestModels;
  /** Returns the platform to check for. */
  readonly options: () => CheckOptions;
  /** Returns the price of a worker. Default: no price is known. */
  readonly priceOf?: PriceOf;
}

/** Registers the comparison of manifests with their endpoints: CodeLenses, states, and commands. */
export function registerDeployed(
  services: AccountServices,
  { models, options, priceOf = () => undefined }: DeployedOptions,
): vscode.Disposable {
  const { context, connections } = services;
  const links = new EndpointLinks(context.workspaceState);
  const deployment = new Deployment(services, links);
  const documents = new DeployedDocuments({ services, models, deployment });
  const marks = new DeployedMarks({ connections, models, deployment, options });
  const lenses = new DeployedCodeLenses({ connections, models, deployment, priceOf });
  const deployed: DeployedServices = { services, models, links, deployment, documents, priceOf };
  return vscode.Disposable.from(
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
    registerDeployedCommands(deployed, options),
    registerDeployAll(deployed, options),
  );
}

function registerDeployedCommands(deployed: DeployedServices, options: () => CheckOptions): vscode.Disposable {
  const { services, models, links, deployment, priceOf } = deployed;
  const register = (
    id: CommandId,
    attempt: string,
    purpose: string,
    act: (chosen: ChosenPart) => Promise<void>,
  ): vscode.Disposable =>
    registerCommand(services.log, id, attempt, async (...args) => {
      const chosen = await choosePart(deployed, args, purpose);
      if (chosen) await act(chosen);
    });
  return vscode.Disposable.from(
    registerCommand(
      services.log,
      'cloudCompute.endpoints.runWithoutGpus',
      l10n.t('Could not change the manifest'),
      async (...args) => {
        const { runWithoutGpus } = await import('./runWithoutGpus.ts');
        await runWithoutGpus(deployed, args);
      },
    ),
    register(
      'cloudCompute.manifest.createEndpoint',
      l10n.t('Could not create the endpoint'),
      l10n.t('Manifest to create an endpoint from'),
      async (chosen) => {
        const { createFromDocument } = await import('../create/createFromDocument.ts');
        const { document, file, part } = chosen;
        const created = ({ id }: Endpoint, connectionId: string) =>
          links.link(connectionId, addressOf(document.uri, file, part.index), id);
        await createFromDocument(services, { models, options, priceOf, created }, chosen);
      },
    ),
    register(
      'cloudCompute.manifest.update',
      l10n.t('Could not update the endpoint'),
      l10n.t('Manifest to update an endpoint from'),
      async (chosen) => {
        const { updateFromDocument } = await import('./updateFromDocument.ts');
        deployment.forgetTemplates();
        await updateFromDocument(deployed, chosen);
      },
    ),
    register(
      'cloudCompute.manifest.compare',
      l10n.t('Could not compare the manifest'),
      l10n.t('Manifest to compare with its endpoint'),
      async (chosen) => {
        const { compareDocument } = await import('./updateFromDocument.ts');
        deployment.forgetTemplates();
        await compareDocument(deployed, chosen);
      },
    ),
    register(
      'cloudCompute.manifest.pull',
      l10n.t('Could not pull the settings of the endpoint'),
      l10n.t('Manifest to write the settings of its endpoint to'),
      async (chosen) => {
        const { pullIntoDocument } = await import('./pullIntoDocument.ts');
        deployment.forgetTemplates();
        await pullIntoDocument(deployed, chosen);
      },
    ),
    register(
      'cloudCompute.manifest.link',
      l10n.t('Could not link the manifest'),
      l10n.t('Manifest to link to an endpoint'),
      async (chosen) => {
        const { linkDocument } = await import('./linkDocument.ts');
        await linkDocument(deployed, chosen);
      },
    ),
    register(
      'cloudCompute.manifest.unlink',
      l10n.t('Could not unlink the manifest'),
      l10n.t('Manifest to unlink'),
      async (chosen) => {
        const { unlinkDocument } = await import('./linkDocument.ts');
        await unlinkDocument(deployed, chosen);
      },
    ),
  );
}
