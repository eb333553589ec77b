import path from 'node:path';
import type { Client } from '../../../../src/client/client.ts';
import type { EndpointStore } from '../../../../src/account/endpoints/endpointStore.ts';
import { applyPlan, type ApplyTarget, type StepResult } from '../../../../src/features/manifest/actions/applyPlan.ts';
import { planDeployment, type PlanSources } from '../../../../src/features/manifest/actions/planDeployment.ts';
import {
  deployingSteps,
  type DeploymentFile,
  type DeploymentPlan,
  type Obstacle,
  type Step,
} from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { withLink, type EndpointLink } from '../../../../src/features/manifest/model/deployment/matchEndpoint.ts';
import { fixtures } from '../../../platform/support.ts';
import { tests } from './tests.ts';
import { storeOnPlatform } from '../../storeOnPlatform.ts';

/** Returns the text of a manifest for a paused local endpoint. */
export function manifestText(name: string, more = ''): string {
  return `name: ${name}
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 1 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
workers: { min: 0, max: 0 }
x-local: { directory: fixtures, command: node worker.mjs }
${more}`;
}

export function fileOf(fileName: string, text: string): DeploymentFile {
  return {
    file: `file:///manifests/${fileName}`,
    fileName,
    language: fileName.endsWith('.json') ? 'json' : 'yaml',
    folder: path.dirname(fixtures),
    content: { text },
  };
}

/** Returns files by name. */
export function filesOf(texts: Readonly<Record<string, string>>): readonly DeploymentFile[] {
  return Object.entries(texts).map(([name, text]) => fileOf(`${name}.endpoint.yaml`, text));
}

/** A folder of manifests and a local platform, until `cleanUp`. */
export class Deployment {
  readonly client: Client;
  readonly store: EndpointStore;
  links: readonly EndpointLink[] = [];

  private constructor({ client, store }: Awaited<ReturnType<typeof storeOnPlatform>>) {
    this.client = client;
    this.store = store;
  }

  static async start(): Promise<Deployment> {
    return new Deployment(await storeOnPlatform());
  }

  plan(files: readonly DeploymentFile[], changes: Partial<PlanSources> = {}): Promise<DeploymentPlan> {
    const { client, links } = this;
    const signal = new AbortController().signal;
    const valuesOf: PlanSources['valuesOf'] = () => Promise.resolve({ resolve: (text) => text });
    return planDeployment({
      client,
      files,
      links,
      signal,
      tests,
      options: () => ({ target: 'local' }),
      valuesOf,
      ...changes,
    });
  }

  apply(
    steps: readonly Step[],
    changes: Partial<ApplyTarget> & { readonly signal?: AbortSignal } = {},
  ): Promise<readonly StepResult[]> {
    const { signal = new AbortController().signal, ...target } = changes;
    const link: ApplyTarget['deployed'] = (step, { id }) => {
      this.links = withLink(this.links, step, id);
      return Promise.resolve();
    };
    const { client, store } = this;
    return applyPlan(
      { client, store, values: [], deployed: link, starting: () => undefined, ...target },
      steps,
      signal,
    );
  }

  /** Plans and sends all creations and updates. */
  async deploy(files: readonly DeploymentFile[]): Promise<readonly StepResult[]> {
    return this.apply(deployingSteps(await this.plan(files)));
  }

  async names(): Promise<readonly string[]> {
    return (await this.client.listEndpoints({})).endpoints.map(({ name }) => name).sort();
  }
}

/** Returns the kinds of a plan by name or file, such as `a: create`. */
export function kindsOf({ parts }: DeploymentPlan): readonly string[] {
  return parts.map(
    (part) => `${part.name ?? part.fileName}: ${part.kind === 'blocked' ? part.obstacle.kind : part.kind}`,
  );
}

export function obstacleOf<Kind extends Obstacle['kind']>(
  { parts }: DeploymentPlan,
  kind: Kind,
): Extract<Obstacle, { kind: Kind }> {
  for (const part of parts)
    if (part.kind === 'blocked' && part.obstacle.kind === kind)
      return part.obstacle as Extract<Obstacle, { kind: Kind }>;
  throw new Error(`no part is ${kind}: ${parts.map((part) => part.kind).join(', ')}`);
}

export function outcomesOf(results: readonly StepResult[]): readonly string[] {
  return results.map(({ step, outcome }) => `${step.name}: ${outcome}`);
}
