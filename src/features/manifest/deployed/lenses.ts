import * as l10n from '@vscode/l10n';
import type { LensOptions } from '../../../kit/marks.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { joined, shown } from '../../../text/shownText.ts';
import type { EndpointNode } from '../../../account/endpoints/endpointNode.ts';
import { lensTitle, type CreateTarget, priceLabel } from '../create/createTarget.ts';
import type { DeployedPart } from './deployment.ts';

const commands = {
  create: 'cloudCompute.manifest.createEndpoint',
  update: 'cloudCompute.manifest.update',
  compare: 'cloudCompute.manifest.compare',
  pull: 'cloudCompute.manifest.pull',
  link: 'cloudCompute.manifest.link',
  build: 'cloudCompute.manifest.build',
  safety: 'cloudCompute.safety.check',
  gate: 'cloudCompute.gate.run',
  run: 'cloudCompute.jobs.run',
  logs: 'cloudCompute.logs.open',
} as const satisfies Record<string, CommandId>;

export interface LensContext {
  /** Argument of the commands that act on a manifest: the URI of its file. */
  readonly file: unknown;
  readonly target: CreateTarget;
  /** Price of one worker on a hosted platform, in USD per hour. Undefined if it is not known. */
  readonly price: number | undefined;
}

/** Returns the actions above a manifest. They depend on the endpoint that it belongs to. */
export function lensesOf(deployed: DeployedPart, { file, target, price }: LensContext): readonly LensOptions[] {
  const { part, match, endpoint, comparison, name = '' } = deployed;
  const onFile = { arguments: [file, part.index] };
  if (match?.kind === 'ambiguous') {
    const title = shown`$(link) Choose One of ${match.endpointIds.length} Endpoints…`;
    const tooltip = shown`Several endpoints have the name “${name}”. Choose the one that this manifest belongs to.`;
    return [{ title, tooltip, command: commands.link, ...onFile }];
  }
  const build: LensOptions = {
    title: shown`$(tools) Build Image`,
    tooltip: shown`Builds the Dockerfile of “${name}” with Docker or Podman`,
    command: commands.build,
    ...onFile,
  };
  const safety: LensOptions = {
    title: shown`$(beaker) Check Retry Safety`,
    tooltip: shown`Runs the jobs of “${name}” on a private local platform, breaks each run, and compares the effects`,
    command: commands.safety,
    ...onFile,
  };
  const gate: LensOptions = {
    title: shown`$(git-compare) Run Gate`,
    tooltip: shown`Runs the recorded jobs of “${name}” on the earlier and the new version of its worker`,
    command: commands.gate,
    ...onFile,
  };
  const sections = part.value as Partial<Record<string, unknown>> | undefined;
  const has = (section: string, lens: LensOptions) => (sections?.[section] ? [lens] : []);
  const builds = has('x-build', build);
  // The actions on the endpoint come first, because a narrow editor cuts the others.
  const checks = [...has('x-safety', safety), ...has('x-gate', gate)];
  if (!endpoint) {
    const label = lensTitle(target);
    return [
      ...builds,
      {
        title: price === undefined ? label : joined([label, priceLabel(price)], ' · '),
        tooltip: l10n.t('Creates a serverless endpoint from the content of this editor, including unsaved changes'),
        command: commands.create,
        ...onFile,
      },
      ...checks,
    ];
  }

  const node: EndpointNode = { kind: 'endpoint', endpointId: endpoint.id };
  const changes = comparison?.changes.length;
  const update: LensOptions = {
    title: shown`$(cloud-upload) Update…`,
    tooltip:
      changes === 1
        ? shown`Shows the difference, asks for confirmation, and updates “${endpoint.name}” on ${target.name}`
        : shown`Shows the ${changes ?? 0} differences, asks for confirmation, and updates “${endpoint.name}” on ${target.name}`,
    command: commands.update,
    ...onFile,
  };
  const compare: LensOptions = {
    title: shown`$(diff) Compare with Deployed`,
    tooltip: shown`Compares this manifest with the endpoint “${endpoint.name}” on ${target.name}`,
    command: commands.compare,
    ...onFile,
  };
  const pull: LensOptions = {
    title: shown`$(cloud-download) Pull`,
    tooltip: shown`Writes the settings of “${endpoint.name}” into this manifest. Comments stay.`,
    command: commands.pull,
    ...onFile,
  };
  const run: LensOptions = {
    title: shown`$(play) Run Job…`,
    tooltip: shown`Runs a job on “${endpoint.name}”`,
    command: commands.run,
    arguments: [node],
  };
  const logs: LensOptions = {
    title: shown`$(output) Show Logs`,
    tooltip: shown`Shows the log of a worker of “${endpoint.name}”`,
    command: commands.logs,
    arguments: [node],
  };
  const isDrifted = changes !== undefined && changes > 0;
  return [
    ...builds,
    ...(isDrifted ? [update, compare, pull] : comparison ? [compare] : []),
    ...(endpoint.type === 'LOAD_BALANCER' ? [] : [run]),
    logs,
    ...checks,
  ];
}
