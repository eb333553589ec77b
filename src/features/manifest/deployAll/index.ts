import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { Reports } from '../../../kit/documents/reports.ts';
import { registerCommand } from '../../../kit/commands.ts';
import { formatted } from '../../../text/markdown.ts';
import type { DeployedServices } from '../deployed/chooseDeployed.ts';
import type { CheckOptions } from '../model/manifestFile.ts';

/** Registers *Deploy All…* and its reports. @param options returns the platform to check for */
export function registerDeployAll(deployed: DeployedServices, options: () => CheckOptions): vscode.Disposable {
  const { log, clock } = deployed.services;
  const reports = new Reports({
    scheme: 'cloud-compute-deployment',
    gone: formatted`This report is no longer available. Run *Deploy All…* again.`,
    whyReadonly: formatted`This is the report of a deployment.`,
    clock,
  });
  return vscode.Disposable.from(
    reports.register(),
    registerCommand(
      log,
      'cloudCompute.manifest.deployAll',
      l10n.t('Could not deploy the manifests'),
      async (folder) => {
        const { deployAll } = await import('./deployAll.ts');
        await deployAll({ ...deployed, reports, options }, folder);
      },
    ),
  );
}
