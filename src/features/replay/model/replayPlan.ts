import type { Fault as FaultType } from '../../../contract/control/control.ts';
import { Fault } from '../../../contract/control/control.ts';
import { parseImageReference } from '../../../contract/imageReference.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../contract/processImage.ts';
import type { RecordedJob } from '../../../contract/recordedJob.ts';
import { type WorkerSettings, volumesOf } from './workerSettings.ts';

/** The volume of a replay. The original is read, and never written. */
export interface PlannedVolume {
  readonly id: string;
  /** Mount path. Undefined: the default of the platform. */
  readonly path: string | undefined;
  /** Directory of the original on this machine. Undefined: the replay has an empty volume. */
  readonly directory: string | undefined;
  /** Whether the original is not on this machine. Default: false. */
  readonly isElsewhere?: boolean;
  /** Size of its files. Undefined if it is unknown. */
  readonly bytes: number | undefined;
}

/** What is known when a replay is planned. */
export interface ReplayFacts {
  readonly recorded: RecordedJob;
  readonly settings: WorkerSettings;
  /** `endpoint`: the settings of the deployed endpoint. `manifest`: those of a file on this machine, for the local platform. */
  readonly source: 'endpoint' | 'manifest';
  /** Whether the directory of a `process:` image exists. */
  readonly directoryExists: boolean;
  /** Names of the variables whose values are secret or unknown, and not available here. */
  readonly missingValues: readonly string[];
  /** Names of the secrets in the input whose values are not available here. */
  readonly missingSecrets: readonly string[];
  /** Version of the newest release of the endpoint. Undefined if it is unknown. */
  readonly release: number | undefined;
  readonly volume: PlannedVolume | undefined;
}

/**
 * One line of a plan: a part of the job that is equal, that differs, or that is missing. A missing part with `blocks` prevents the replay.
 */
export type PlanLine =
  | { readonly state: 'equal'; readonly code: 'digest'; readonly image: string }
  | { readonly state: 'equal'; readonly code: 'code'; readonly directory: string }
  | { readonly state: 'equal'; readonly code: 'environment' | 'faults'; readonly count: number }
  | { readonly state: 'equal'; readonly code: 'volume'; readonly id: string; readonly bytes: number | undefined }
  | { readonly state: 'equal'; readonly code: 'clock'; readonly ms: number }
  | { readonly state: 'differs'; readonly code: 'tag'; readonly image: string }
  | {
      readonly state: 'differs';
      readonly code: 'codeInsteadOfImage';
      readonly image: string;
      readonly directory: string;
    }
  | { readonly state: 'differs'; readonly code: 'release'; readonly recorded: number; readonly newest: number }
  | { readonly state: 'differs'; readonly code: 'emptyVolume' | 'volumeElsewhere'; readonly id: string }
  | { readonly state: 'differs'; readonly code: 'furtherVolumes'; readonly ids: readonly string[] }
  | { readonly state: 'differs'; readonly code: 'clockBehind'; readonly ms: number }
  | { readonly state: 'differs'; readonly code: 'unknownFaults'; readonly count: number }
  | { readonly state: 'differs'; readonly code: 'gpus' | 'registry' | 'template' | 'canceled' }
  | {
      readonly state: 'missing';
      readonly code: 'values' | 'secrets';
      readonly names: readonly string[];
      readonly blocks: boolean;
    }
  | { readonly state: 'missing'; readonly code: 'directory'; readonly directory: string; readonly blocks: true }
  | { readonly state: 'missing'; readonly code: 'image'; readonly blocks: true };

/** What a replay does. */
export interface ReplayPlan {
  readonly lines: readonly PlanLine[];
  /** Image of the worker: with the recorded digest, or a `process:` image. Undefined: it is unknown. */
  readonly image: string | undefined;
  readonly volume: PlannedVolume | undefined;
  /** Faults that are active during the replay. */
  readonly faults: readonly FaultType[];
  /** Time by which the clock of the platform is ahead, in ms. */
  readonly clockAheadMs: number;
}

export function isBlocked({ lines }: ReplayPlan): boolean {
  return lines.some((line) => line.state === 'missing' && line.blocks);
}

export function planReplay(facts: ReplayFacts): ReplayPlan {
  const { recorded, volume } = facts;
  const { image, line } = plannedImage(facts);
  const { faults, unknown } = readFaults(recorded.local?.faults ?? []);
  const offsetMs = Math.round(recorded.local?.clockOffsetMs ?? 0);
  return {
    image,
    volume,
    faults,
    clockAheadMs: Math.max(0, offsetMs),
    lines: [
      line,
      ...releaseLines(facts),
      ...environmentLines(facts),
      ...volumeLines(facts),
      ...(offsetMs > 0 ? [{ state: 'equal', code: 'clock', ms: offsetMs } as const] : []),
      ...(offsetMs < 0 ? [{ state: 'differs', code: 'clockBehind', ms: -offsetMs } as const] : []),
      ...(faults.length > 0 ? [{ state: 'equal', code: 'faults', count: faults.length } as const] : []),
      ...(unknown > 0 ? [{ state: 'differs', code: 'unknownFaults', count: unknown } as const] : []),
      ...settingLines(facts),
      ...(recorded.result.status === 'CANCELLED' ? [{ state: 'differs', code: 'canceled' } as const] : []),
    ],
  };
}

/** Returns the directory of a `process:` image. */
export function directoryOfImage(image: string | undefined): string | undefined {
  return image?.startsWith(PROCESS_IMAGE_PREFIX) === true ? image.slice(PROCESS_IMAGE_PREFIX.length) : undefined;
}

/**
 * Returns the image that a replay runs. A `process:` image of the settings is that of this machine. Any other image is the recorded one, because
 * the endpoint can have a newer one.
 */
export function imageOfReplay({ recorded, settings }: Pick<ReplayFacts, 'recorded' | 'settings'>): string | undefined {
  if (directoryOfImage(settings.image) !== undefined) return settings.image;
  const { image, digest } = recorded.worker;
  const written = image !== '' && directoryOfImage(image) === undefined ? image : settings.image;
  if (written === undefined || written === '') return undefined;
  return digest === undefined ? written : `${written.split('@')[0] ?? ''}@${digest}`;
}

function plannedImage(facts: ReplayFacts): { readonly image: string | undefined; readonly line: PlanLine } {
  const image = imageOfReplay(facts);
  if (image === undefined) return { image, line: { state: 'missing', code: 'image', blocks: true } };
  const directory = directoryOfImage(image);
  if (directory === undefined) {
    const hasDigest = parseImageReference(image)?.digest !== undefined;
    return {
      image,
      line: hasDigest ? { state: 'equal', code: 'digest', image } : { state: 'differs', code: 'tag', image },
    };
  }
  if (!facts.directoryExists) return { image, line: { state: 'missing', code: 'directory', directory, blocks: true } };
  const { image: recorded } = facts.recorded.worker;
  const ranImage = recorded !== '' && directoryOfImage(recorded) === undefined;
  const line: PlanLine = ranImage
    ? { state: 'differs', code: 'codeInsteadOfImage', image: recorded, directory }
    : { state: 'equal', code: 'code', directory };
  return { image, line };
}

function releaseLines({ recorded, source, release: newest }: ReplayFacts): PlanLine[] {
  const { release } = recorded.worker;
  if (source !== 'endpoint' || release === undefined || newest === undefined || newest <= release) return [];
  return [{ state: 'differs', code: 'release', recorded: release, newest }];
}

function environmentLines({ recorded, missingValues, missingSecrets }: ReplayFacts): PlanLine[] {
  const count = recorded.worker.environment.length - missingValues.length;
  return [
    ...(count > 0 ? [{ state: 'equal', code: 'environment', count } as const] : []),
    ...(missingValues.length > 0
      ? [{ state: 'missing', code: 'values', names: missingValues, blocks: false } as const]
      : []),
    ...(missingSecrets.length > 0
      ? [{ state: 'missing', code: 'secrets', names: missingSecrets, blocks: true } as const]
      : []),
  ];
}

function volumeLines({ settings, volume }: ReplayFacts): PlanLine[] {
  if (!volume) return [];
  const { id, bytes, directory, isElsewhere = false } = volume;
  const others = volumesOf(settings).flatMap((other) => (other.id === id ? [] : [other.id]));
  return [
    directory === undefined
      ? { state: 'differs', code: isElsewhere ? 'volumeElsewhere' : 'emptyVolume', id }
      : { state: 'equal', code: 'volume', id, bytes },
    ...(others.length > 0 ? [{ state: 'differs', code: 'furtherVolumes', ids: others } as const] : []),
  ];
}

function settingLines({ settings, source }: ReplayFacts): PlanLine[] {
  const { gpu, registry, templateId, 'x-local': local } = settings;
  return [
    ...(gpu && local?.gpu !== 'ignore' ? [{ state: 'differs', code: 'gpus' } as const] : []),
    ...(typeof registry === 'string' ? [{ state: 'differs', code: 'registry' } as const] : []),
    // A deployed endpoint has the settings of its template.
    ...(source === 'manifest' && templateId !== undefined ? [{ state: 'differs', code: 'template' } as const] : []),
  ];
}

/** Reads recorded faults. Those of another version of the platform can be unknown. */
function readFaults(recorded: readonly unknown[]): { readonly faults: readonly FaultType[]; readonly unknown: number } {
  const faults = recorded.flatMap((one) => {
    const {
      id: _,
      hits: __,
      ...fault
    } = typeof one === 'object' && one !== null ? (one as Record<string, unknown>) : {};
    const { data } = Fault.safeParse(fault);
    return data ? [data] : [];
  });
  return { faults, unknown: recorded.length - faults.length };
}
