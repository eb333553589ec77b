import path from 'node:path';
import * as vscode from 'vscode';
import { DEFAULT_ENGINE_SETTINGS, engineFlags, type EngineSettings } from './engineFlags.ts';

/* Settings of the local platform, which are read at each start. */

const settings = () => vscode.workspace.getConfiguration('cloudCompute.localPlatform');

/** Returns the data directory of the platform: the one in the settings, or one in the extension's storage. */
export function dataDirectory({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>): string {
  const chosen = settings().get<string>('dataDirectory', '');
  return chosen === '' ? path.join(globalStorageUri.fsPath, 'platform') : chosen;
}

/** Returns the port of the platform. 0 selects a free port. */
export function port(): number {
  return settings().get<number>('port', 0);
}

/** Returns the settings of the engine that runs images. */
export function engineSettings(): EngineSettings {
  const read = (name: keyof EngineSettings): string => settings().get<string>(name, DEFAULT_ENGINE_SETTINGS[name]);
  return {
    ...{ runtime: read('runtime'), containerEngine: read('containerEngine'), gpus: read('gpus') },
    ...{ kubeContext: read('kubeContext'), kubeNamespace: read('kubeNamespace'), workerHost: read('workerHost') },
    otlpEndpoint: read('otlpEndpoint'),
  };
}

/** Returns the flags of a platform that one action uses: those of the engine, without the export of traces. */
export function privateEngineFlags(): string[] {
  return engineFlags({ ...engineSettings(), otlpEndpoint: '' });
}

/** Changes a setting of the engine for this machine. The platform applies it at its next start. */
export async function setEngineSetting(name: keyof EngineSettings, value: string): Promise<void> {
  const stored = value === DEFAULT_ENGINE_SETTINGS[name] ? undefined : value;
  await settings().update(name, stored, vscode.ConfigurationTarget.Global);
}
