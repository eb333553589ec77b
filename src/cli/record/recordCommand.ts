import path from 'node:path';
import { ApiError } from '../../client/apiError.ts';
import { variable } from '../../contract/environment.ts';
import { HOSTED_VARIABLES } from '../../account/connections/model/hostedVariables.ts';
import { isSecretName, referencesOf } from '../../account/secrets/envReferences.ts';
import { readGated } from '../../features/gate/actions/gatedManifest.ts';
import { readLocalJob } from '../../features/gate/actions/readLocalJob.ts';
import { prepareRecording, writeRecording } from '../../features/gate/actions/recordJob.ts';
import { pathText } from '../../features/jobs/model/expectations/mismatch.ts';
import { plainLine } from '../../features/jobs/actions/workerLogSince.ts';
import { UserError } from '../../kit/userError.ts';
import { endpointOfJob } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { manifestOf, partOf } from '../gate/manifestOf.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface RecordFlags extends ConnectionOptions {
  /** ID of the job. */
  readonly job: string;
  readonly manifest?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** Writes the recording of a job beside its manifest, and prints its path. @throws CannotRunError */
export async function recordCommand(flags: RecordFlags, surroundings: Surroundings): Promise<number> {
  try {
    const manifest = await manifestOf(flags.manifest);
    return await withSession(flags, surroundings, (session) => record(session, { ...flags, manifest }, surroundings));
  } catch (error) {
    const isExpected = error instanceof CannotRunError || error instanceof UserError || error instanceof ApiError;
    throw isExpected ? new CannotRunError(error.message) : error;
  }
}

async function record(
  session: Session,
  { job: jobId, endpoint, manifest }: RecordFlags & { readonly manifest: string },
  { environment, signal, tell, write }: Surroundings,
): Promise<number> {
  const { client, isLocal, name } = session;
  const endpointId = await endpointOfJob(session, { jobId, endpoint }, signal);
  const received = isLocal ? await readLocalJob(client, { endpointId, jobId }, signal) : undefined;
  if (!received) throw new CannotRunError(`${name} does not return the input of a job; keep the job in the editor`);
  const deployed = await client.getEndpoint({ id: endpointId }, { signal });
  const part = await partOf(manifest, deployed.name);
  const { body } = await readGated(manifest, { part, target: 'local' });
  const secrets = new Map(Object.entries(deployed.env ?? {}).filter(([variableName]) => isSecretName(variableName)));
  const { apiKey } = client.context.connection;
  if (apiKey !== '') secrets.set(HOSTED_VARIABLES.apiKey, apiKey);
  for (const reference of referencesOf(body.env)) {
    const value = variable(environment, reference.name);
    if (value !== undefined) secrets.set(reference.name, value);
  }
  const prepared = await prepareRecording(
    { endpointId, jobId, ...received, manifest, secrets },
    { client, isLocal, signal },
  );
  await writeRecording(prepared);
  for (const { path: at, name: replacement, reason } of prepared.replacements) {
    const kind = reason === 'file' ? 'file' : 'secret';
    tell(plainLine(`${pathText(at)}: the ${kind} ${replacement}`));
  }
  write(`${path.relative('', prepared.file)}\n`);
  return EXIT_CODES.done;
}
