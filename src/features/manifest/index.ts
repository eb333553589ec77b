import * as vscode from 'vscode';
import type { AccountServices } from '../../account/accountServices.ts';
import { ENDPOINT_SCHEME } from '../../account/endpoints/endpointAddress.ts';
import { registerCommands } from '../../kit/commands.ts';
import { DocumentShell } from '../../kit/documents/documentShell.ts';
import { Reports } from '../../kit/documents/reports.ts';
import { Lazy } from '../../kit/lazy.ts';
import { onFirstDocument } from '../../kit/openDocuments.ts';
import { formatted } from '../../text/markdown.ts';
import type { FindDeployments } from '../endpoints/model/releaseWords.ts';
import { manifestCommands } from './commands.ts';
import type { Manifests } from './createManifests.ts';
import { DEPLOYED_SCHEME } from './deployed/deployedAddress.ts';
import type { readManifestContext } from './deployed/endpointLinks.ts';
import type { chooseSubject } from './estimateSubject.ts';
import type { OwnJobs } from './hardware/chooseHardware.ts';
import type { VerificationTests } from './model/deployment/verificationTest.ts';
import { isManifest, MANIFEST_GLOB } from './manifestFiles.ts';
import type { applyScaling, chooseScalingTarget } from './deployed/scalingTarget.ts';
import { fileSchemes } from '../../kit/fileSchemes.ts';

export type { Subject } from './estimateSubject.ts';
export type { ScalingTarget } from './deployed/scalingTarget.ts';
export {
  fileName,
  folderOf,
  isManifest,
  isManifestFile,
  languageOf,
  MANIFEST_GLOB,
  workspaceTree,
} from './manifestFiles.ts';

/** Returns the GPU pools of the open manifests. */
export const wantedPools = async (): Promise<readonly string[]> => (await import('./wantedPools.ts')).readWantedPools();

/** Returns what to estimate, as `chooseSubject` does. */
export const chooseEstimateSubject: typeof chooseSubject = async (...args) => {
  const module = await import('./estimateSubject.ts');
  return module.chooseSubject(...args);
};

/** Chooses and changes the scaling of a manifest or an endpoint, as `scalingTarget` does. */
export const scalingTargets = {
  choose: async (...args: Parameters<typeof chooseScalingTarget>): ReturnType<typeof chooseScalingTarget> => {
    const module = await import('./deployed/scalingTarget.ts');
    return module.chooseScalingTarget(...args);
  },
  apply: async (...args: Parameters<typeof applyScaling>): ReturnType<typeof applyScaling> => {
    const module = await import('./deployed/scalingTarget.ts');
    return module.applyScaling(...args);
  },
};

/** Reads the choices of the user, as `readManifestContext` does. */
export const manifestContext = async (
  ...args: Parameters<typeof readManifestContext>
): Promise<ReturnType<typeof readManifestContext>> => {
  const module = await import('./deployed/endpointLinks.ts');
  return module.readManifestContext(...args);
};

/** Reads the deployments of an endpoint of the current connection from the journals of the workspace. */
export async function findDeployments(
  services: Pick<AccountServices, 'context' | 'log' | 'connections'>,
  ...[endpointId]: Parameters<FindDeployments>
): ReturnType<FindDeployments> {
  const { profile } = services.connections;
  if (!profile) return () => undefined;
  const [{ deploymentsOf }, { deploymentOfVersion }] = await Promise.all([
    import('./deployed/windowJournal.ts'),
    import('./model/deployment/journal.ts'),
  ]);
  const deployments = await deploymentsOf(services, profile, endpointId);
  return (version) => deploymentOfVersion(deployments, version);
}

/**
 * Registers the services of the manifest editor, the documents of endpoints, and the commands for manifests. Their code is loaded for the
 * first manifest, and once the endpoints are known, because the explorer shows the states of manifests.
 *
 * @param from.tests reads and runs the tests that verify deployments
 * @param from.ownJobs reads the jobs that the user ran from this editor
 */
export function registerManifest(
  services: AccountServices,
  { tests, ownJobs }: { readonly tests: VerificationTests; readonly ownJobs: OwnJobs },
): vscode.Disposable {
  const { log, clock, endpoints } = services;
  const reports = new Reports({
    scheme: 'cloud-compute-deployment',
    gone: formatted`This report is no longer available. Run *Deploy All…* again.`,
    whyReadonly: formatted`This is the report of a deployment.`,
    clock,
  });
  const manifests = new Lazy<Manifests>(async () => {
    const { createManifests } = await import('./createManifests.ts');
    return createManifests(services, { endpoints: documents, deployed, reports, tests });
  });
  const documents = new DocumentShell(ENDPOINT_SCHEME, undefined, () => manifests.get());
  const deployed = new DocumentShell(DEPLOYED_SCHEME, undefined, () => manifests.get());
  const load = () => {
    manifests.createSoon((error) => log.error('Could not load the manifests', error));
  };
  return vscode.Disposable.from(
    reports.register(),
    documents.register(),
    deployed.register(),
    onFirstDocument(isManifest, load),
    endpoints.onDidChange(() => {
      if (!manifests.value && endpoints.state.kind === 'ready') load();
    }),
    registerCommands(log, manifestCommands(services, manifests, ownJobs)),
    registerFunctionLenses(),
    new vscode.Disposable(() => {
      manifests.value?.disposable.dispose();
    }),
  );
}

const SELECTOR = fileSchemes
  .filter((scheme) => scheme !== 'untitled')
  .map((scheme) => ({ scheme, language: 'python' }));

/**
 * Offers to make a Python function an endpoint: above functions that look like handlers, unless a manifest runs their file, and as a code
 * action for others.
 */
function registerFunctionLenses(): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const watcher = vscode.workspace.createFileSystemWatcher(MANIFEST_GLOB, false, true, false);
  return vscode.Disposable.from(
    changed,
    watcher,
    watcher.onDidCreate(() => changed.fire()),
    watcher.onDidDelete(() => changed.fire()),
    vscode.languages.registerCodeLensProvider(SELECTOR, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: async (document) => (await import('./newWorker/functionMarks.ts')).provideCodeLenses(document),
    }),
    vscode.languages.registerCodeActionsProvider(
      SELECTOR,
      {
        provideCodeActions: async (document, range) =>
          (await import('./newWorker/functionMarks.ts')).provideCodeActions(document, range),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.Refactor] },
    ),
  );
}
