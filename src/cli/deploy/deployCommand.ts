import { counted } from '../../agents/model/boundedOutput.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { explain } from '../../kit/explain.ts';
import { withoutControls } from '../../text/shownText.ts';
import {
  deploySteps,
  isDeployed,
  type DeployedStep,
  type Reverted,
} from '../../features/manifest/actions/deploySteps.ts';
import {
  isUnverified,
  unverifiedParts,
  verifyAgain,
  type UnverifiedPart,
  type VerifiedAgain,
} from '../../features/manifest/actions/verifyAgain.ts';
import { deployingSteps, keyOf, type Step } from '../../features/manifest/model/deployment/deploymentPlan.ts';
import { withResults } from '../../features/manifest/actions/deploymentJournal.ts';
import { changeWords } from '../../features/manifest/model/deployment/difference.ts';
import { stepWords } from '../../features/manifest/model/deployment/planWords.ts';
import { lostWords } from '../../features/manifest/model/deployment/rollback.ts';
import {
  evidenceOf,
  isVerified,
  verificationWords,
  type Verification,
} from '../../features/manifest/model/deployment/verification.ts';
import type { Session } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';
import { isDeploymentWanted, withEnvironment, type ChosenEnvironment } from './chosenEnvironment.ts';
import { earlierDeployments, journaled } from './journal.ts';
import { passGates, type GateChoice } from './passGates.ts';
import { readFolderPlan, type FolderPlan } from './folderPlan.ts';
import type { PlanFlags } from './planCommand.ts';
import { changeJson, connectionJson, environmentJson, planLines, problemLine } from './planReport.ts';
import type { Diagnosis } from '../../account/diagnosis/diagnosis.ts';

export interface DeployFlags extends PlanFlags, GateChoice {
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
  const verifyMs = flags.verifyTimeout * 1_000;
  const deployments = verifyMs > 0 ? await earlierDeployments(session, flags.folder, say) : [];
  const isLastUnverified = (endpoint: Endpoint) => isUnverified(session.client, deployments, endpoint);
  const folder = { ...flags, requiresGates: true, isUnverified: isLastUnverified };
  let read = await readFolderPlan(session, folder, signal);
  if (await passGates(read, flags, { surroundings, say })) read = await readFolderPlan(session, folder, signal);
  const steps = deployingSteps(read.plan);
  const unverified = unverifiedParts(read.plan);
  const isStopped = read.problems.length > 0 && !flags.keepGoing;
  if (isStopped || steps.length + unverified.length === 0 || !flags.yes)
    for (const line of planLines(read, session)) say(line);
  else for (const problem of read.problems) say(problemLine(problem));
  const finish = (results: readonly DeployedStep[], again: readonly VerifiedAgain[] = []): number => {
    if (flags.json) write(session.json(deploymentJson(session, read, { results, again })));
    const isGood = results.every(isDeployed) && again.every(({ verification }) => isVerified(verification));
    return read.problems.length > 0 || !isGood ? EXIT_CODES.failed : EXIT_CODES.done;
  };
  if (isStopped) {
    say('Nothing was deployed, because of the problems. --keep-going deploys the other manifests.');
    return finish([]);
  }
  if (steps.length + unverified.length === 0) return finish([]);
  const question = questionOf({ steps, unverified }, session, verifyMs > 0);
  if (!flags.yes && !(await isDeploymentWanted(question, flags.environment, surroundings))) {
    say(steps.length > 0 ? 'Nothing was deployed.' : 'Nothing was verified.');
    finish([]);
    return EXIT_CODES.failed;
  }
  const run = { ...flags, session, read, verifyMs, say, signal };
  const results = await deployNow(run, steps);
  const again = await verifyNow(run, unverified);
  return finish(results, again);
}

interface Run extends Chosen {
  readonly session: Session;
  readonly read: FolderPlan;
  readonly verifyMs: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Sends and verifies steps, and tells their results. */
async function deployNow(run: Run, steps: readonly Step[]): Promise<readonly DeployedStep[]> {
  const { session, read, verifyMs, say, signal } = run;
  if (steps.length === 0) return [];
  const journal = await journaled(session, run, steps, say);
  const deploying = () =>
    deploySteps(
      {
        ...{ client: session.client, store: session.endpoints, platform: session.isLocal ? 'local' : 'hosted' },
        readPlan: () => readFolderPlan(session, { ...run, requiresGates: true }, signal),
        verifyMs,
        revertsFailures: run.rollbackOnFailure ?? false,
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
  return results;
}

/** Verifies unchanged endpoints whose last deployment was not verified, and tells their results. */
async function verifyNow(run: Run, unverified: readonly UnverifiedPart[]): Promise<readonly VerifiedAgain[]> {
  const { session, read, verifyMs, say, signal } = run;
  if (unverified.length === 0) return [];
  const deeds = unverified.map(({ name }) => ({ kind: 'verify', name }) as const);
  const journal = await journaled(session, run, deeds, say);
  for (const { name } of unverified)
    say(`“${name}” is unchanged, and was not verified after its last deployment. Verifying it…`);
  const results = await verifyAgain(session.client, unverified, {
    ...{ platform: session.isLocal ? 'local' : 'hosted', limitMs: verifyMs, tests: read.tests, signal },
    onState: ({ name }, { headline }) => say(`“${name}”: ${headline}`),
  });
  await journal.end(
    results.map(({ part, verification }) => ({
      ...{ outcome: 'unchanged', step: part, endpoint: part.endpoint, verification },
    })),
  );
  for (const { part, verification } of results) {
    say(`“${part.name}” is unchanged: ${verificationWords(verification)}`);
    for (const line of evidenceOf(verification)) say(`  ${line}`);
  }
  return results;
}

interface Asked {
  readonly steps: ReturnType<typeof deployingSteps>;
  readonly unverified: readonly UnverifiedPart[];
}

function questionOf({ steps, unverified }: Asked, { name, host }: Session, isVerifying: boolean): string {
  const tested = [...steps, ...unverified.map((part) => part.unverified)];
  const kinds = isVerifying ? tested.flatMap(({ test }) => test?.kind ?? []) : [];
  const jobs = kinds.filter((kind) => kind === 'job').length;
  const tests = [
    ...(jobs === 0 ? [] : [`run ${counted(jobs, 'job')}`]),
    ...(kinds.includes('requests') ? ['send requests'] : []),
  ];
  const running = tests.length === 0 ? '' : `, and ${tests.join(' and ')} to verify them`;
  const platform = `${name} (${host})`;
  if (steps.length === 0) return `Verify ${counted(unverified.length, 'unchanged endpoint')} on ${platform}${running}?`;
  const again = unverified.length === 0 ? '' : `, verify ${counted(unverified.length, 'unchanged endpoint')}`;
  return `Deploy ${counted(steps.length, 'endpoint')} to ${platform}${again}${running}?`;
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
  { results, again }: { readonly results: readonly DeployedStep[]; readonly again: readonly VerifiedAgain[] },
): object {
  return {
    connection: connectionJson(session),
    ...environmentJson(environment),
    results: [...results.map(resultJson), ...again.map(againJson)],
    unchanged: plan.parts.flatMap((part) =>
      part.kind === 'unchanged' && !again.some((one) => keyOf(one.part) === keyOf(part))
        ? [{ name: part.name, file: part.fileName }]
        : [],
    ),
    problems,
  };
}

function againJson({ part, verification }: VerifiedAgain): object {
  const { name, fileName: file, part: index, endpoint } = part;
  return {
    ...{ name, file, part: index, outcome: 'unchanged', endpointId: endpoint.id },
    verification: verificationJson(verification),
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

function verificationJson(verification: Verification): object {
  if (verification.outcome === 'unread') return { outcome: 'unread', error: verificationWords(verification) };
  if (!('diagnosis' in verification)) return verification;
  const { outcome, diagnosis } = verification;
  return { outcome, ...(diagnosis && diagnosisJson(diagnosis)) };
}

function diagnosisJson({ cause, headline, explanation, evidence }: Diagnosis): object {
  return { cause, headline, explanation, evidence };
}
