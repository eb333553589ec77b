import { withoutControls } from '../../text/shownText.ts';
import { withResult } from '../../features/manifest/actions/deploymentJournal.ts';
import { planRollback, sendRollback, type RollbackPlan } from '../../features/manifest/actions/rollBack.ts';
import { verifyDeployment } from '../../features/manifest/actions/verifyDeployment.ts';
import { changeWords, workersSentence } from '../../features/manifest/model/deployment/difference.ts';
import { lostWords } from '../../features/manifest/model/deployment/rollback.ts';
import {
  evidenceOf,
  isVerified,
  verificationWords,
  type Verification,
} from '../../features/manifest/model/deployment/verification.ts';
import { endpointNamed } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { lastVerifiedVersion } from '../../features/manifest/model/deployment/journal.ts';
import { findProduction } from '../../features/manifest/actions/findProduction.ts';
import { folderAt, localFiles } from '../localFiles.ts';
import { isDeploymentWanted } from './chosenEnvironment.ts';
import { journaledRollback, readDeployments } from './journal.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface RollbackFlags extends ConnectionOptions {
  readonly endpoint: string;
  /** Version of the release, or `verified` for the last one that was verified. Undefined: the one before its settings. */
  readonly to?: number | 'verified' | undefined;
  /** Folder of the manifests, for the journal. */
  readonly folder: string;
  readonly yes?: boolean | undefined;
  readonly verifyTimeout: number;
}

/** Returns an endpoint to the settings of an earlier release. */
export function rollbackCommand(flags: RollbackFlags, surroundings: Surroundings): Promise<number> {
  const { tell, signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const say = (line: string): void => tell(session.hide(withoutControls(line)));
    const { client, endpoints, isLocal } = session;
    const { id, name } = await endpointNamed(session, flags.endpoint, signal);
    const version = flags.to === 'verified' ? await verifiedVersion(session, flags, { id, name }) : flags.to;
    const plan = await planRollback(client, id, version, signal);
    if (plan.kind !== 'ready') {
      say(reasonOf(plan, name));
      return plan.kind === 'nothingToDo' ? EXIT_CODES.done : EXIT_CODES.failed;
    }
    const { rollback } = plan;
    say(`Roll back “${name}” to version ${rollback.version}:`);
    for (const change of rollback.changes) say(`  ${changeWords(change)}`);
    for (const lost of rollback.lost) say(`  ! ${lostWords(lost)}`);
    say(workersSentence(rollback));
    if (!flags.yes && !(await isWanted(session, flags, { id, name }, surroundings))) {
      say('Nothing was changed.');
      return EXIT_CODES.failed;
    }
    const journal = await journaledRollback(session, flags.folder, { id, name }, say);
    const { verification } = await withResult(journal, { kind: 'rollback', name }, async () => {
      const endpoint = await sendRollback({ client, store: endpoints }, plan, signal);
      if (!endpoint)
        throw new CannotRunError(
          `“${name}” was not changed, because somebody has changed it since the difference was shown`,
        );
      const verified: Verification =
        flags.verifyTimeout === 0
          ? { outcome: 'skipped' }
          : await verifyDeployment(client, endpoint, {
              ...{ platform: isLocal ? 'local' : 'hosted', limitMs: flags.verifyTimeout * 1_000, signal },
              onState: ({ headline }) => say(`“${name}”: ${headline}`),
            });
      return { endpoint, verification: verified };
    });
    say(`“${name}” is rolled back: ${verificationWords(verification)}`);
    for (const line of evidenceOf(verification)) say(`  ${line}`);
    return isVerified(verification) ? EXIT_CODES.done : EXIT_CODES.failed;
  });
}

/** Asks before a rollback. In production, the name of the environment must be typed. @throws CannotRunError without a terminal */
async function isWanted(
  session: Session,
  { folder }: RollbackFlags,
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
  surroundings: Surroundings,
): Promise<boolean> {
  const { deployments } = await readDeployments(session, folder, name).catch(() => ({ deployments: [] }));
  const own = deployments.filter(({ finished }) => finished?.endpointId === id);
  const endpoint = { name, connection: session, deployments: own };
  const root = await folderAt(folder);
  const production = await findProduction(localFiles, [root], endpoint, surroundings.signal);
  return isDeploymentWanted(`Roll back “${name}”?`, production, surroundings, 'roll back');
}

/** Returns the last verified version before the newest one. @throws CannotRunError if there is none */
async function verifiedVersion(
  session: Session,
  { folder }: RollbackFlags,
  { id, name }: Pick<Endpoint, 'id' | 'name'>,
): Promise<number> {
  const { file, deployments } = await readDeployments(session, folder, name);
  const { releases } = await session.client.listEndpointReleases({ id });
  const own = deployments.filter(({ finished }) => finished?.endpointId === id);
  const version = lastVerifiedVersion(own, releases[0]?.version ?? undefined);
  if (version === undefined) throw new CannotRunError(`${file} has no earlier verified deployment of “${name}”`);
  return version;
}

function reasonOf(plan: Exclude<RollbackPlan, { kind: 'ready' }>, name: string): string {
  switch (plan.kind) {
    case 'noEarlierRelease':
      return `“${name}” has no release before its present settings; --to names one`;
    case 'noSuchRelease':
      return `“${name}” has no such release; its versions are ${plan.versions.join(', ')}`;
    case 'nothingToDo': {
      const lost = plan.rollback.lost.map(lostWords);
      return [`“${name}” has the settings of version ${plan.rollback.version}`, ...lost].join('; ');
    }
    case 'refused':
      return `“${name}” cannot be changed in this way: ${plan.reasons.join('; ')}`;
  }
}
