import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { workerPrice } from '../../account/prices/workerPrice.ts';
import { secretNames } from '../../account/secrets/secretStore.ts';
import type { DocumentShell } from '../../kit/documents/documentShell.ts';
import type { Reports } from '../../kit/documents/reports.ts';
import { registerFileMarks } from '../../kit/fileDecorations.ts';
import { BuildProblems } from './build/buildProblems.ts';
import { createCatalog } from './catalog/manifestCatalog.ts';
import type { ManifestCommandOptions } from './commands.ts';
import type { DeployedServices } from './deployed/chooseDeployed.ts';
import { DeployedCodeLenses } from './deployed/deployedCodeLenses.ts';
import { DeployedDocuments } from './deployed/deployedDocuments.ts';
import { DeployedMarks } from './deployed/deployedMarks.ts';
import { DeployedStatus } from './deployed/deployedStatus.ts';
import { Deployment } from './deployed/deployment.ts';
import { EndpointLinks } from './deployed/endpointLinks.ts';
import { EndpointDocuments } from './editing/endpointDocuments.ts';
import { registerManifestCodeActions } from './language/manifestCodeActions.ts';
import { registerManifestCompletion } from './language/manifestCompletion.ts';
import { ManifestModels } from './language/manifestModels.ts';
import { registerManifestReading, type LiveSource } from './language/manifestReading.ts';
import { ActiveEnvironment } from './environments/activeEnvironment.ts';
import type { VerificationTests } from './model/deployment/verificationTest.ts';
import { fileSelector } from './manifestFiles.ts';
import type { Manifest } from '../../contract/manifest.ts';

/** Documents and views that are registered before the code of manifests is loaded. */
export interface ManifestShells {
  /** Documents of endpoints. */
  readonly endpoints: DocumentShell;
  /** Left sides of comparisons. */
  readonly deployed: DocumentShell;
  /** Reports of deployments. */
  readonly reports: Reports;
  readonly tests: VerificationTests;
}

/** The manifests of this window, and what their commands use. */
export interface Manifests extends ManifestCommandOptions {
  readonly disposable: vscode.Disposable;
}

/** Registers the services of the manifest editor, the comparison of manifests with their endpoints, and the documents of endpoints. */
export function createManifests(services: AccountServices, shells: ManifestShells): Manifests {
  const { log, clock, context, connections } = services;
  const active = new ActiveEnvironment(context.workspaceState);
  const catalog = createCatalog(services, active);
  const live: LiveSource = {
    get current() {
      return { ...catalog.values.current, secretNames: secretNames(services.secrets) };
    },
    onDidChange: catalog.values.onDidChange,
    request: () => catalog.values.request(),
  };
  const models = new ManifestModels({
    clock,
    log,
    options: (document) => catalog.options.of(document),
    onDidChangeOptions: catalog.options.onDidChange,
  });
  const options = () => catalog.options.current;
  const problems = new BuildProblems(models);
  const priceOf = (manifest: Manifest) => workerPrice(manifest, catalog.values.current);
  const links = new EndpointLinks(context.workspaceState);
  const deployment = new Deployment(services, links);
  const differences = new DeployedDocuments({ services, models, deployment }, shells.deployed);
  const marks = new DeployedMarks({ connections, models, deployment, options });
  const lenses = new DeployedCodeLenses({ connections, models, deployment, priceOf });
  const deployed: DeployedServices = {
    services,
    models,
    links,
    deployment,
    documents: differences,
    priceOf,
    tests: shells.tests,
  };
  const documents = new EndpointDocuments(services, shells.endpoints, async (...edit) => {
    const { saveEdit } = await import('./editing/saveEdit.ts');
    return saveEdit(services, ...edit);
  });
  const disposable = vscode.Disposable.from(
    active,
    // The state of a manifest depends on its environment.
    active.onDidChange(() => deployment.forgetTemplates()),
    catalog,
    models,
    problems,
    catalog.follow(models),
    registerManifestReading(models, catalog),
    registerManifestCodeActions(models, (document) => catalog.options.of(document)),
    registerManifestCompletion(models, live),
    links,
    links.onDidChange(() => {
      if (connections.hosted.some(({ id }) => links.of(id).length > 0)) services.completedSteps.complete('hosted');
    }),
    deployment,
    differences.register(),
    marks,
    registerFileMarks(marks),
    lenses,
    vscode.languages.registerCodeLensProvider(fileSelector, lenses),
    new DeployedStatus({ ...services, models, deployment }),
    documents.register(),
  );
  const builds = { problems, target: () => options().target };
  return { deployed, active, documents, reports: shells.reports, builds, options, disposable };
}
