import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_ENGINE_SETTINGS, engineFlags } from '../../../../src/account/localPlatform/engineFlags.ts';
import { repository } from '../../../platform/support.ts';

describe('the flags for the engine', () => {
  it('omits settings that have their default', () => {
    assert.deepEqual(engineFlags(DEFAULT_ENGINE_SETTINGS), []);
    assert.deepEqual(engineFlags({ ...DEFAULT_ENGINE_SETTINGS, containerEngine: '  ', gpus: '' }), []);
  });

  it('passes each other setting in a flag of its own', () => {
    const settings = {
      ...{ runtime: 'kubernetes', containerEngine: ' ssh://me@gpu ', gpus: '0,1' },
      ...{ kubeContext: 'team', kubeNamespace: 'workers', workerHost: '10.0.0.7' },
      otlpEndpoint: 'http://127.0.0.1:4318',
    };
    assert.deepEqual(engineFlags(settings), [
      ...['--runtime', 'kubernetes', '--container-engine', 'ssh://me@gpu', '--gpus', '0,1'],
      ...['--kube-context', 'team', '--kube-namespace', 'workers', '--worker-host', '10.0.0.7'],
      ...['--otlp-endpoint', 'http://127.0.0.1:4318'],
    ]);
  });

  it('has settings that only this machine decides, and that a workspace without trust cannot change', async () => {
    const { contributes, capabilities } = JSON.parse(
      await readFile(path.join(repository, 'package.json'), 'utf8'),
    ) as Declared;
    for (const [name, value] of Object.entries(DEFAULT_ENGINE_SETTINGS) as [string, string][]) {
      const id = `cloudCompute.localPlatform.${name}`;
      const declared = contributes.configuration.properties[id];
      assert.deepEqual({ scope: declared?.scope, value: declared?.default }, { scope: 'machine', value }, id);
      assert.ok(capabilities.untrustedWorkspaces.restrictedConfigurations.includes(id), id);
    }
  });
});

interface Declared {
  readonly contributes: {
    readonly configuration: {
      readonly properties: Readonly<Record<string, { readonly scope?: string; readonly default?: unknown }>>;
    };
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}
