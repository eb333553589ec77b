import { counted } from '../../agents/model/counted.ts';
import { explain } from '../../kit/explain.ts';
import { withoutControls } from '../../text/shownText.ts';
import {
  deploySteps,
  isDeployed,
  type DeployedStep,
  type Reverted,
} from '../../features/manifest/actions/deploySteps.ts';
import { deployingSteps } from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { withResults } from '../../features/manifest/actions/deploymentJournal.ts';
import { changeWords } from '../../features/manifest/model/deployment/difference.ts';
import { stepWords } from '../../features/manifest/model/deployment/planWords.ts';
import { lostWords } from '../../features/manifest/model/deployment/rollback.ts';
import { evidenceOf, verificationWords } from '../../features/manifest/model/deployment/verification.ts';
import type { Session } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { isDeploymentWanted, withEnvironment, type ChosenEnvironment } from './chosenEnvironment.ts';
import { journaled } from './journal.ts';
import { readFolderPlan, type FolderPlan } from './folderPlan.ts';
import type { PlanFlags } from './planCommand.ts';
import { changeJson, connectionJson, environmentJson, planLines, problemLine } from './planReport.ts';
import { verificationJson } from './verificationJson.ts';

export interface DeployFlags extends PlanFlags {
  /** Whether to deploy without a question. */
  readonly yes?: boolean | undefined;
  /** Whether to deploy the valid manifests of a folder with problems. */
  readonly keepGoing?: boolean | undefined;
  /** Time in which an endpoint must become ready, in seconds. 0: endpoints are not watched. */
  readonly verifyTimeout: number;
  readonly rollbackOnFailure?: boolean | undefined;
}

/** Deploys a folder: plans, asks, sends, and verifies. */
export function deployCommand(flags: DeployFlags, surroundings: Surroundings): Promise<number> {
  return withEnvironment(flags, surroundings, (session, environment) =>
    deploy({ ...flags, environment }, session, surroundings),
  );
}

type Chosen = Omit<DeployFlags, 'environment'> & { readonly environment: ChosenEnvironment | undefined };

async function deploy(flags: Chosen, session: Session, surroundings: Surroundings): Promise<number> {
  const { write, tell, signal } = surroundings;
  const say = (line: string): void => tell(session.hide(withoutControls(line)));
  const read = await readFolderPlan(session, flags, signal);
  const steps = deployingSteps(read.plan);
  const isStopped = read.problems.length > 0 && !flags.keepGoing;
  if (isStopped || steps.length === 0 || !flags.yes) for (const line of planLines(read, session)) say(line);
  else for (const problem of read.problems) say(problemLine(problem));
  const finish = (results: readonly DeployedStep[]): number => {
    if (flags.json) write(session.json(deploymentJson(session, read, results)));
    return read.problems.length > 0 || !results.every(isDeployed) ? EXIT_CODES.failed : EXIT_CODES.done;
  };
  if (isStopped) {
    say('Nothing was deployed, because of the problems. --keep-going deploys the other manifests.');
    return finish([]);
  }
  if (steps.length === 0) return finish([]);
  const question = questionOf(steps, session, flags.verifyTimeout > 0);
  if (!flags.yes && !(await isDeploymentWanted(question, flags.environment, surroundings))) {
    say('Nothing was deployed.');
    finish([]);
    return EXIT_CODES.failed;
  }
  const journal = await journaled(session, flags, steps, say);
  const deploying = () =>
    deploySteps(
      {
        ...{ client: session.client, store: session.endpoints, platform: session.isLocal ? 'local' : 'hosted' },
        readPlan: () => readFolderPlan(session, flags, signal),
        verifyMs: flags.verifyTimeout * 1_000,
        revertsFailures: flags.rollbackOnFailure ?? false,
        tests: read.tests,
        starting: (step) => say(`${stepWords(step).text}…`),
        deployed: () => Promise.resolve(),
        onState: (step, { headline }) => say(`“${step.name}”: ${headline}`),
      },
      steps,
      signal,
    );
  const results = await withResults(journal, steps, deploying);
  for (const line of results.flatMap(resultLines)) say(line);
  return finish(results);
}

function questionOf(steps: ReturnType<typeof deployingSteps>, { name, host }: Session, isVerifying: boolean): string {
  const kinds = isVerifying ? steps.flatMap(({ test }) => test?.kind ?? []) : [];
  const jobs = kinds.filter((kind) => kind === 'job').length;
  const tests = [
    ...(jobs === 0 ? [] : [`run ${counted(jobs, 'job')}`]),
    ...(kinds.includes('requests') ? ['send requests'] : []),
  ];
  const running = tests.length === 0 ? '' : `, and ${tests.join(' and ')} to verify them`;
  return `Deploy ${counted(steps.length, 'endpoint')} to ${name} (${host})${running}?`;
}

const attempts = { create: 'could not create', update: 'could not update', delete: 'could not delete' };

function resultLines(result: DeployedStep): readonly string[] {
  const { step } = result;
  const name = `“${step.name}”`;
  switch (result.outcome) {
    case 'created':
    case 'updated':
      return [
        `${name} is ${result.outcome}: ${verificationWords(result.verification)}`,
        ...evidenceOf(result.verification).map((line) => `  ${line}`),
        ...(result.reverted ? revertedLines(name, result.outcome, result.reverted) : []),
      ];
    case 'deleted':
      return [`${name} is deleted`];
    case 'failed':
      return [
        explain(result.error, `${attempts[step.kind]} ${name}`).text,
        ...(result.uncertain
          ? ['  The platform may have done it. Run the command again, which reads the endpoints first.']
          : []),
      ];
    case 'canceled':
      return [`${name} was not sent, because of the interruption`];
    case 'changed':
      return [`${name} was not sent, because the file or the endpoint has changed since the plan was shown`];
    case 'overtaken':
      return [
        'error' in result
          ? explain(
              result.error,
              `${name} was created twice at the same time, and ${result.endpoint.id} could not be deleted`,
            ).text
          : `${name} was created by another deployment at the same time, so this one took its endpoint back`,
      ];
    case 'differs':
      return [
        `${name} was sent, but the endpoint has other settings now, such as those of another deployment:`,
        ...result.changes.map((change) => `  ${changeWords(change)}`),
      ];
  }
}

function revertedLines(name: string, outcome: 'created' | 'updated', reverted: Reverted): readonly string[] {
  if ('error' in reverted) return [explain(reverted.error, `could not roll back ${name}`).text];
  if (outcome === 'created') return [`${name} was deleted again`];
  const { lost } = reverted;
  if (lost.length === 0) return [`${name} has its earlier settings again`];
  return [`${name} has its earlier settings again, with exceptions:`, ...lost.map((one) => `  ${lostWords(one)}`)];
}

function deploymentJson(
  session: Session,
  { environment, plan, problems }: FolderPlan,
  results: readonly DeployedStep[],
): object {
  return {
    connection: connectionJson(session),
    ...environmentJson(environment),
    results: results.map(resultJson),
    unchanged: plan.parts.flatMap((part) =>
      part.kind === 'unchanged' ? [{ name: part.name, file: part.fileName }] : [],
    ),
    problems,
  };
}

function resultJson(result: DeployedStep): object {
  const { outcome, step } = result;
  const base = {
    name: step.name,
    ...(step.kind === 'delete' ? {} : { file: step.fileName, part: step.part }),
    outcome,
  };
  if (outcome === 'failed')
    return { ...base, uncertain: result.uncertain, error: explain(result.error, attempts[step.kind]).text };
  if (outcome === 'differs')
    return { ...base, endpointId: result.endpoint.id, changes: result.changes.map(changeJson) };
  if (outcome === 'overtaken' && 'error' in result)
    return { ...base, endpointId: result.endpoint.id, error: explain(result.error, 'could not delete it').text };
  if (outcome !== 'created' && outcome !== 'updated') return base;
  const { endpoint, verification, reverted } = result;
  return {
    ...base,
    endpointId: endpoint.id,
    verification: verificationJson(verification),
    ...(reverted && {
      reverted: 'lost' in reverted ? reverted : { error: explain(reverted.error, 'could not roll back').text },
    }),
  };
}
