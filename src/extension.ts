import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from './client/clock.ts';
import { registerBilling } from './features/billing/index.ts';
import { ConnectionStore } from './features/connections/connectionStore.ts';
import { registerConnections } from './features/connections/index.ts';
import { EndpointStore } from './features/endpoints/endpointStore.ts';
import { registerEndpoints } from './features/endpoints/index.ts';
import { registerJobs } from './features/jobs/index.ts';
import { registerLocalPlatform } from './features/localPlatform/index.ts';
import { LocalPlatformStore } from './features/localPlatform/localPlatformStore.ts';
import { platformProcess } from './features/localPlatform/platformProcess.ts';
import { registerLogs } from './features/logs/index.ts';
import { registerManifest } from './features/manifest/index.ts';
import { registerResources } from './features/resources/index.ts';
import type { Services } from './features/services.ts';
import { registerCommand } from './vscode/commands.ts';

/** Registers everything and waits for nothing. */
export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const services = createServices(context);
  const { log, connections, endpoints, localPlatform } = services;
  context.subscriptions.push(
    log,
    connections,
    endpoints,
    localPlatform,
    registerCommand(log, 'cloudCompute.showLog', 'Could not show the log', () => log.show()),
    registerLocalPlatform(services),
    registerConnections(services),
    registerEndpoints(services),
    registerResources(services),
    registerManifest(services),
    registerJobs(services),
    registerLogs(services),
    registerBilling(services),
  );
  log.info(`activated in ${Math.round(performance.now() - started)} ms`);
}

function createServices(context: vscode.ExtensionContext): Services {
  const setting = <Value>(name: string, otherwise: Value) =>
    vscode.workspace.getConfiguration('cloudCompute').get(name, otherwise);
  const log = vscode.window.createOutputChannel('Cloud Compute', { log: true });
  const connections = new ConnectionStore(context.secrets);
  const localPlatform = new LocalPlatformStore(
    platformProcess({
      script: context.asAbsolutePath('dist/platform.js'),
      dataDir: () =>
        setting<string>('localPlatform.dataDirectory', '') || path.join(context.globalStorageUri.fsPath, 'platform'),
      port: () => setting<number>('localPlatform.port', 0),
      log,
    }),
  );
  const endpoints = new EndpointStore(connections, systemClock);
  return { context, log, clock: systemClock, connections, localPlatform, endpoints };
}
