import type { Environment } from '../../../contract/environment.ts';
import { terminalEnvironment } from '../../../account/endpoints/workerProcess.ts';
import { hasReference, type ValueSource } from '../../../account/secrets/envReferences.ts';
import { readEnvValues } from '../../manifest/actions/resolveBody.ts';
import type { ReplayFacts } from '../model/replayPlan.ts';
import { secretsOfSubject, type ReplaySubject } from './replaySubject.ts';

/** Values that a person gave for replays of one manifest: those of variables and of secrets in inputs, by their names. */
export interface ReplayValues {
  get(name: string): PromiseLike<string | undefined>;
}

export interface EnvironmentSources extends Pick<ReplayFacts, 'settings' | 'source'> {
  readonly subject: ReplaySubject;
  /** Values of the references in a manifest. */
  readonly references: ValueSource;
  readonly values: ReplayValues;
  /** Values that are secret, such as those of the stored secrets. A platform can return them in the environment of an endpoint. */
  readonly secrets?: Iterable<string>;
}

/** The values of a replay. They are sent to its own platform only, and never written. */
export interface ReadEnvironment {
  readonly env: Environment;
  /** Values of the secrets in the input, by their names. */
  readonly inputSecrets: ReadonlyMap<string, string>;
  /** Values that no output of the replay contains. */
  readonly hidden: readonly string[];
  /** Names of variables and of secrets without a value. */
  readonly missingValues: readonly string[];
  readonly missingSecrets: readonly string[];
}

/**
 * Reads the values of the recorded environment variables. A value that looks like a secret is never copied from a platform, because a replay
 * must not use the keys of production. It comes from `values`, as does each value that is not known.
 *
 * @throws RecordingError for an invalid reference in the input
 */
export async function readEnvironment(sources: EnvironmentSources): Promise<ReadEnvironment> {
  const { subject, values } = sources;
  const hidden = new Set<string>();
  const entries: [string, string][] = [];
  const missingValues: string[] = [];
  for (const name of subject.recorded.worker.environment) {
    const value = (await knownValue(name, sources, hidden)) ?? (await given(values, name, hidden));
    if (value === undefined) missingValues.push(name);
    else entries.push([name, value]);
  }
  const inputSecrets = new Map<string, string>();
  const missingSecrets: string[] = [];
  for (const name of secretsOfSubject(subject)) {
    const value = await given(values, name, hidden);
    if (value === undefined) missingSecrets.push(name);
    else inputSecrets.set(name, value);
  }
  return { env: Object.fromEntries(entries), inputSecrets, hidden: [...hidden], missingValues, missingSecrets };
}

async function given(values: ReplayValues, name: string, hidden: Set<string>): Promise<string | undefined> {
  const value = await values.get(name);
  if (value !== undefined && value !== '') hidden.add(value);
  return value;
}

async function knownValue(
  name: string,
  { settings: { env = {} }, source, references, secrets = [] }: EnvironmentSources,
  hidden: Set<string>,
): Promise<string | undefined> {
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  if (text === undefined) return undefined;
  // Text of a platform is never resolved, because it must not read a secret.
  if (source === 'endpoint')
    return terminalEnvironment({ [name]: text }, secrets).omitted.length > 0 ? undefined : text;
  const read = await readEnvValues([{ [name]: text }], references);
  if (hasReference(text)) for (const value of read.values) hidden.add(value);
  return read.resolve(text);
}
