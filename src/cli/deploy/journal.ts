import path from 'node:path';
import {
  journalFile,
  JournalError,
  readJournalFile,
  tryToBegin,
  UNJOURNALED,
  type Deed,
  type JournaledRun,
} from '../../features/manifest/actions/deploymentJournal.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { deploymentsIn, type JournaledDeployment } from '../../features/manifest/model/deployment/journal.ts';
import type { Session } from '../connection/openSession.ts';
import { CannotRunError } from '../program/exitCodes.ts';
import type { PlannedFolder } from './folderPlan.ts';

/** Name of the session's platform in journals. The port of the local platform changes. */
const platformOf = ({ isLocal, host }: Session): string => (isLocal ? 'local' : host);

/**
 * Writes that changes are about to be sent. A journal that cannot be written does not prevent the deployment.
 *
 * @throws CannotRunError if the journal was changed
 */
export async function journaled(
  session: Session,
  { folder, environment }: PlannedFolder,
  deeds: readonly Deed[],
  say: (line: string) => void,
): Promise<JournaledRun> {
  const unwritten = (error: unknown): void =>
    say(`the journal of deployments cannot be written: ${(error as Error).message}`);
  const place = { folder: path.resolve(folder), platform: platformOf(session), environment: environment?.name };
  return tryToBegin({ ...place, client: session.client }, () => fileOf(session, folder), deeds, unwritten).catch(
    (error: unknown) => {
      throw error instanceof JournalError ? new CannotRunError(error.message) : error;
    },
  );
}

/** Writes that an endpoint is about to be rolled back, if the journal of the folder contains its deployments. */
export async function journaledRollback(
  session: Session,
  folder: string,
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
  say: (line: string) => void,
): Promise<JournaledRun> {
  const { deployments } = await readDeployments(session, folder, name).catch((error: unknown) => {
    say((error as Error).message);
    return { deployments: [] };
  });
  const isKnown = deployments.some(({ finished }) => finished?.endpointId === id);
  if (!isKnown) return UNJOURNALED;
  return journaled(session, { folder, environment: undefined }, [{ kind: 'rollback', name }], say);
}

/**
 * Reads the earlier deployments of the session's platform, newest first. A journal that cannot be read does not prevent a deployment.
 *
 * @throws CannotRunError if the journal was changed
 */
export async function earlierDeployments(
  session: Session,
  folder: string,
  say: (line: string) => void,
): Promise<readonly JournaledDeployment[]> {
  try {
    return (await readFrom(await fileOf(session, folder), session)).deployments;
  } catch (error) {
    if (error instanceof JournalError) throw new CannotRunError(error.message);
    say(`the journal of deployments cannot be read: ${(error as Error).message}`);
    return [];
  }
}

/** Reads the deployments of the session's platform, newest first, and the numbers of cut off lines. @throws CannotRunError */
export async function readDeployments(
  session: Session,
  folder: string,
  endpoint: string | undefined,
): Promise<{
  readonly file: string;
  readonly deployments: readonly JournaledDeployment[];
  readonly torn: readonly number[];
}> {
  const file = await fileOf(session, folder);
  try {
    return { file, ...(await readFrom(file, session, endpoint)) };
  } catch (error) {
    throw new CannotRunError((error as Error).message);
  }
}

const fileOf = ({ dataDirectory }: Session, folder: string): Promise<string> =>
  journalFile(path.resolve(folder), dataDirectory);

async function readFrom(file: string, session: Session, endpoint?: string) {
  const journal = await readJournalFile(file);
  return { deployments: deploymentsIn(journal, platformOf(session), endpoint), torn: journal.torn };
}
