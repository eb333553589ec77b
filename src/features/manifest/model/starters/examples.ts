import * as l10n from '@vscode/l10n';
import type { EndpointType } from '../../../../contract/endpointSettings.ts';
import {
  exampleImage,
  hardwareSection,
  headSection,
  localSection,
  newLocalSettings,
  NEW_PORT,
  PORT_COMMENT,
  routeVariables,
  scalingSection,
  workersSection,
  type Hardware,
  type Section,
} from './section.ts';

/** A complete manifest that a new file can start from. */
export interface Example {
  readonly id: 'queueGpu' | 'queueCpu' | 'balancedGpu' | 'balancedCpu';
  readonly type: EndpointType;
  readonly hardware: Hardware;
  readonly title: string;
}

export const EXAMPLES: readonly Example[] = [
  { id: 'queueGpu', type: 'QUEUE', hardware: 'gpu', title: l10n.t('Queue-based endpoint with GPUs') },
  { id: 'queueCpu', type: 'QUEUE', hardware: 'cpu', title: l10n.t('Queue-based endpoint with CPUs') },
  { id: 'balancedGpu', type: 'LOAD_BALANCER', hardware: 'gpu', title: l10n.t('Load-balanced endpoint with GPUs') },
  { id: 'balancedCpu', type: 'LOAD_BALANCER', hardware: 'cpu', title: l10n.t('Load-balanced endpoint with CPUs') },
];

/**
 * Returns the sections of an example. It is valid on every platform.
 *
 * @param python name of the Python interpreter on this machine
 */
export function exampleSections({ type, hardware, title }: Example, name: string, python = 'python3'): Section[] {
  const isQueue = type === 'QUEUE';
  return [
    headSection(`${title}.`, name, type),
    scalingSection(type),
    workersSection(),
    {
      comment: [l10n.t('The container image that a hosted platform runs, and the size of its disk in GB.')],
      fields: { image: exampleImage(name), ...(isQueue ? {} : { ports: [`${NEW_PORT}/http`] }), disk: 10 },
    },
    hardwareSection(hardware),
    {
      comment: [l10n.t('Maximum execution time of a request, in milliseconds.')],
      fields: { timeout: hardware === 'gpu' ? 600_000 : 60_000 },
    },
    isQueue
      ? { comment: [l10n.t('Environment variables of the workers.')], fields: { env: { LOG_LEVEL: 'info' } } }
      : { comment: PORT_COMMENT, fields: { env: routeVariables(NEW_PORT, '/ping') } },
    localSection('.', `${python} -u ${isQueue ? 'handler' : 'server'}.py`, newLocalSettings(hardware)),
  ];
}
