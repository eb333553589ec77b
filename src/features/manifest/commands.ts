import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import type { EndpointSnapshot } from '../../account/endpoints/endpointSnapshot.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import { on, type CommandTable } from '../../kit/commands.ts';
import type { Lazy } from '../../kit/lazy.ts';
import type { BuildServices } from './build/buildDocument.ts';
import type { Creation } from './create/createFromDocument.ts';
import type { ChosenPart } from './create/choosePart.ts';
import type { DeployedServices } from './deployed/chooseDeployed.ts';
import type { ActiveEnvironment } from './environments/activeEnvironment.ts';
import type { OwnJobs } from './hardware/chooseHardware.ts';
import type { EndpointDocuments } from './editing/endpointDocuments.ts';
import type { CheckOptions } from './model/manifestFile.ts';

export interface ManifestCommandOptions {
  readonly deployed: DeployedServices;
  readonly active: ActiveEnvironment;
  /** Documents of endpoints. */
  readonly documents: EndpointDocuments;
  /** Reports of deployments. */
  readonly reports: Reports;
  readonly builds: BuildServices;
  /** Returns the platform to check for. */
  readonly options: () => CheckOptions;
}

/**
 * Returns the commands for manifests, their endpoints as documents, and their secrets.
 *
 * @param ownJobs reads the jobs that the user ran from this editor
 */
export function manifestCommands(
  services: AccountServices,
  manifests: Lazy<ManifestCommandOptions>,
  ownJobs: OwnJobs,
): CommandTable {
  const { secrets } = services;
  const deployed = async () => (await manifests.get()).deployed;
  const documents = async () => (await manifests.get()).documents;
  /** The manifest that the arguments name, the one at the cursor, or one that the user picks. */
  const aWrittenManifest = (purpose: string, run: (chosen: ChosenPart) => unknown) =>
    on(async (args) => (await import('./create/choosePart.ts')).choosePart(await deployed(), args, purpose), run);
  const environments = async () => {
    const { deployed: all, active } = await manifests.get();
    return { ...all, active };
  };
  /** Like `aWrittenManifest`, as the environment of the window has it. Asks for the environment if the manifest has others. */
  const aManifest = (purpose: string, run: (chosen: ChosenPart) => unknown) =>
    aWrittenManifest(purpose, async (chosen) => {
      const needsNone = chosen.part.environments.length === 0;
      const found = needsNone
        ? chosen
        : await (await import('./environments/chooseEnvironment.ts')).inEnvironment(await environments(), chosen);
      if (found) await run(found);
    });
  /** Like `aManifest`, for a comparison with the current templates of the platform. */
  const aDeployed = (purpose: string, run: (chosen: ChosenPart) => unknown) =>
    aManifest(purpose, async (chosen) => {
      (await deployed()).deployment.forgetTemplates();
      return run(chosen);
    });
  /** The endpoint of a row, or one that the user picks. */
  const anEndpoint = (purpose: string, run: (snapshot: EndpointSnapshot) => unknown) =>
    on(
      async (args) =>
        (await import('../../account/endpoints/chosenEndpoints.ts')).chosenEndpoint(services, args, purpose),
      run,
    );
  return {
    'cloudCompute.manifest.newFile': {
      failure: l10n.t('Could not create the file'),
      run: async (argument) => (await import('./newFile/newFileWizard.ts')).newEndpointFile(services, argument),
    },
    'cloudCompute.manifest.newWorker': {
      failure: l10n.t('Could not create the worker'),
      run: async (argument) => (await import('./newWorker/newWorkerWizard.ts')).newWorker(services, argument),
    },
    'cloudCompute.manifest.makeEndpoint': {
      failure: l10n.t('Could not make the function an endpoint'),
      run: async (uri, name) => (await import('./newWorker/makeEndpoint.ts')).makeEndpoint(services, uri, name),
    },
    'cloudCompute.manifest.createEndpoint': {
      failure: l10n.t('Could not create the endpoint'),
      run: aManifest(l10n.t('Manifest to create an endpoint from'), async (chosen) => {
        const { document, file, part } = chosen;
        const { createFromDocument } = await import('./create/createFromDocument.ts');
        const { addressOf } = await import('./deployed/deployment.ts');
        const { deployed: compared, options } = await manifests.get();
        const { models, links, priceOf, tests } = compared;
        const created: Creation['created'] = ({ id }, connectionId) =>
          links.link(connectionId, addressOf(document.uri, file, part.index), id);
        await createFromDocument(services, { models, tests, options, priceOf, created }, chosen);
      }),
    },
    'cloudCompute.manifest.update': {
      failure: l10n.t('Could not update the endpoint'),
      run: aDeployed(l10n.t('Manifest to update an endpoint from'), async (chosen) =>
        (await import('./deployed/updateFromDocument.ts')).updateFromDocument(await deployed(), chosen),
      ),
    },
    'cloudCompute.manifest.compare': {
      failure: l10n.t('Could not compare the manifest'),
      run: aDeployed(l10n.t('Manifest to compare with its endpoint'), async (chosen) =>
        (await import('./deployed/updateFromDocument.ts')).compareDocument(await deployed(), chosen),
      ),
    },
    'cloudCompute.manifest.chooseHardware': {
      failure: l10n.t('Could not choose the hardware'),
      run: async (...args) =>
        (await import('./hardware/chooseHardware.ts')).chooseHardware({ ...(await deployed()), ownJobs }, args),
    },
    'cloudCompute.manifest.pull': {
      failure: l10n.t('Could not pull the settings of the endpoint'),
      run: aDeployed(l10n.t('Manifest to pull deployed settings into'), async (chosen) =>
        (await import('./deployed/pullIntoDocument.ts')).pullIntoDocument(await deployed(), chosen),
      ),
    },
    'cloudCompute.manifest.build': {
      failure: l10n.t('Could not build the image'),
      run: aWrittenManifest(l10n.t('Manifest to build the image of'), async (chosen) =>
        (await import('./build/buildDocument.ts')).buildDocument((await manifests.get()).builds, chosen),
      ),
    },
    'cloudCompute.manifest.buildAndPush': {
      failure: l10n.t('Could not push the image'),
      run: aWrittenManifest(l10n.t('Manifest to build and push the image of'), async (chosen) =>
        (await import('./build/buildDocument.ts')).buildAndPushDocument((await manifests.get()).builds, chosen),
      ),
    },
    'cloudCompute.manifest.link': {
      failure: l10n.t('Could not link the manifest'),
      run: aManifest(l10n.t('Manifest to link to an endpoint'), async (chosen) =>
        (await import('./deployed/chooseDeployed.ts')).linkDocument(await deployed(), chosen),
      ),
    },
    'cloudCompute.manifest.unlink': {
      failure: l10n.t('Could not unlink the manifest'),
      run: aManifest(l10n.t('Manifest to unlink'), async (chosen) =>
        (await import('./deployed/chooseDeployed.ts')).unlinkDocument(await deployed(), chosen),
      ),
    },
    'cloudCompute.manifest.deployAll': {
      failure: l10n.t('Could not deploy the manifests'),
      run: async (folder) => {
        const { deployed: compared, active, reports, options } = await manifests.get();
        await (await import('./deployAll/deployAll.ts')).deployAll({ ...compared, active, reports, options }, folder);
      },
    },
    'cloudCompute.manifest.addCiWorkflow': {
      failure: l10n.t('Could not add the workflow'),
      run: async (folder) => (await import('./ci/addCiWorkflow.ts')).addCiWorkflow(services, folder),
    },
    'cloudCompute.manifest.chooseEnvironment': {
      failure: l10n.t('Could not choose the environment'),
      run: async () =>
        (await import('./environments/chooseEnvironment.ts')).chooseWorkspaceEnvironment(await environments()),
    },
    'cloudCompute.endpoints.open': {
      failure: l10n.t('Could not open the endpoint'),
      run: anEndpoint(l10n.t('Endpoint to show as a document'), async (snapshot) =>
        (await import('./editing/showEndpoint.ts')).showEndpoint(await documents(), 'yaml', snapshot),
      ),
    },
    'cloudCompute.endpoints.edit': {
      failure: l10n.t('Could not edit the endpoint'),
      run: anEndpoint(l10n.t('Endpoint to edit'), async (snapshot) =>
        (await import('./editing/showEndpoint.ts')).showEndpoint(await documents(), 'edit', snapshot),
      ),
    },
    'cloudCompute.endpoints.explain': {
      failure: l10n.t('Could not explain the endpoint'),
      run: anEndpoint(l10n.t('Endpoint to explain'), async (snapshot) =>
        (await import('./editing/showEndpoint.ts')).showExplanation(await documents(), snapshot),
      ),
    },
    'cloudCompute.endpoints.rollBack': {
      failure: l10n.t('Could not roll back the endpoint'),
      run: on(
        async (args) => (await import('./deployed/rollBackEndpoint.ts')).chosenRelease(services, args),
        async (chosen) => (await import('./deployed/rollBackEndpoint.ts')).rollBackEndpoint(services, chosen),
      ),
    },
    'cloudCompute.endpoints.runWithoutGpus': {
      failure: l10n.t('Could not change the manifest'),
      run: anEndpoint(l10n.t('Endpoint to run without GPUs'), async (snapshot) =>
        (await import('./deployed/runWithoutGpus.ts')).runWithoutGpus(await deployed(), snapshot),
      ),
    },
    'cloudCompute.secrets.add': {
      failure: l10n.t('Could not add the secret'),
      run: async (argument) =>
        (await import('./secrets/addSecret.ts')).addSecret(secrets, (await deployed()).models, argument),
    },
    'cloudCompute.secrets.manage': {
      failure: l10n.t('Could not change the secrets'),
      run: async () => (await import('./secrets/manageSecrets.ts')).manageSecrets(secrets, (await deployed()).models),
    },
  };
}
