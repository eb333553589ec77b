import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { createAccount } from './account/createAccount.ts';
import { registerConnections } from './account/connections/index.ts';
import { registerAgents } from './agents/index.ts';
import { registerAlerts } from './features/alerts/index.ts';
import { registerEndpoints } from './features/endpoints/index.ts';
import { registerGate } from './features/gate/index.ts';
import { registerImages } from './features/images/index.ts';
import { copyCommands, ownJobs, registerJobs, verificationJobs } from './features/jobs/index.ts';
import { registerLoad } from './features/load/index.ts';
import { registerLocal } from './features/local/index.ts';
import { registerLogs } from './features/logs/index.ts';
import { findDeployments, registerManifest } from './features/manifest/index.ts';
import { registerReplay } from './features/replay/index.ts';
import { registerRequests, requestVerifier } from './features/requests/index.ts';
import { registerSafety } from './features/safety/index.ts';
import { registerSpend } from './features/spend/index.ts';
import { registerTuning } from './features/tuning/index.ts';
import { registerVolumes } from './features/volumes/index.ts';
import { registerCommands } from './kit/commands.ts';

/** Registers the features without waiting for any I/O. */
export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const services = createAccount(context);
  const { log } = services;
  const jobs = registerJobs(services);
  const requests = registerRequests(services);
  context.subscriptions.push(
    ...services.disposables,
    registerCommands(log, {
      'cloudCompute.showLog': { failure: l10n.t('Could not show the log'), run: () => log.show() },
    }),
    registerLocal(services, jobs.jobs),
    registerSafety(services),
    registerConnections(services),
    registerEndpoints(services, {
      findDeployments: (endpointId) => findDeployments(services, endpointId),
      ownJobs: ownJobs(jobs.jobs),
    }),
    registerManifest(services, {
      tests: { jobs: verificationJobs, requests: requestVerifier },
      ownJobs: ownJobs(jobs.jobs),
    }),
    jobs,
    requests,
    registerReplay(services, jobs.jobs),
    registerLoad(services, jobs.jobs, requests.readFile),
    registerTuning(services, ownJobs(jobs.jobs)),
    registerLogs(services),
    registerSpend(services, jobs.jobs),
    registerAlerts(services),
    registerGate(services, jobs.jobs),
    registerAgents(services, jobs.jobs),
    registerVolumes(services),
    registerImages(services),
    registerCommands(log, copyCommands(jobs.jobs, requests.copyRequest)),
  );
  log.info(`activated in ${Math.round(performance.now() - started)} ms`);
}
