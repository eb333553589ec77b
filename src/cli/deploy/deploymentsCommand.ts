import { withoutControls } from '../../text/shownText.ts';
import type { JournaledDeployment } from '../../features/manifest/model/deployment/journal.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { readDeployments } from './journal.ts';

export interface DeploymentsFlags extends ConnectionOptions {
  /** Name of the endpoint. Undefined: all. */
  readonly endpoint?: string | undefined;
  readonly folder: string;
  readonly json?: boolean | undefined;
}

/** Prints the journal of deployments. */
export function deploymentsCommand(flags: DeploymentsFlags, surroundings: Surroundings): Promise<number> {
  const { write, tell } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { file, deployments, torn } = await readDeployments(session, flags.folder, flags.endpoint);
    for (const line of torn) tell(`${file}: line ${line} was cut off by a crash, and does not count`);
    if (flags.json)
      write(session.json({ deployments: deployments.map(({ started, finished }) => ({ started, finished })) }));
    else for (const one of deployments) write(`${session.hide(withoutControls(lineOf(one)))}\n`);
    return EXIT_CODES.done;
  });
}

function lineOf({ started, finished }: JournaledDeployment): string {
  const { at, endpoint, action, by, commit, dirty, environment, image } = started;
  return [
    ...[at, endpoint, finished ? resultOf(finished) : `${action}: the result is not known`],
    ...(finished?.version === undefined ? [] : [`version ${finished.version}`]),
    ...(environment === undefined ? [] : [environment]),
    ...(commit === undefined ? [] : [`${commit.slice(0, 12)}${dirty ? ' with changes' : ''}`]),
    ...[by, ...(image === undefined ? [] : [image])],
  ].join('  ');
}

function resultOf({ outcome, verification, rolledBack }: NonNullable<JournaledDeployment['finished']>): string {
  const done = outcome === 'rolledBack' ? 'rolled back' : outcome;
  return [done, ...(verification === undefined ? [] : [verification]), ...(rolledBack ? ['rolled back'] : [])].join(
    ', ',
  );
}
