import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../vscode/commands.ts';
import { registerFiles } from '../../../vscode/documentFiles.ts';
import { ReportDocuments } from '../../../vscode/reportDocuments.ts';
import { formatted } from '../../../vscode/text/markdown.ts';
import type { DeployedServices } from '../deployed/deployedServices.ts';
import type { CheckOptions } from '../model/manifestFile.ts';

const REPORT_SCHEME = 'cloud-compute-deployment';

/** Registers *Deploy All…* and its reports. @param options returns the platform to check for */
export function registerDeployAll(deployed: DeployedServices, options: () => CheckOptions): vscode.Disposable {
  const { log, clock } = deployed.services;
  const reports = new ReportDocuments({
    scheme: REPORT_SCHEME,
    name: 'deployment',
    gone: formatted`This report is no longer available. Run *Deploy All…* again.`,
    now: () => clock.now(),
  });
  return vscode.Disposable.from(
    reports,
    registerFiles(REPORT_SCHEME, reports, formatted`This is the report of a deployment.`),
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
