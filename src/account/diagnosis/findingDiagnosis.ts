import * as l10n from '@vscode/l10n';
import { startProblemWords } from '../endpoints/startProblems.ts';
import { exitText, mayBeOutOfMemory } from '../endpoints/words.ts';
import type { EndpointSnapshot } from '../endpoints/endpointSnapshot.ts';
import { type Diagnosis, type Observations, editStep, showLogs, step, stepOf } from './diagnosis.ts';
import type { LogFinding } from './logFindings.ts';

/** Returns the diagnosis of a worker whose log contains the reason why it does not run. */
export function diagnosisOfFinding(
  { snapshot, platform }: Observations,
  workerId: string,
  finding: LogFinding,
): Diagnosis {
  const log = showLogs(snapshot, workerId);
  switch (finding.kind) {
    case 'imageUnavailable':
      return {
        cause: 'imageUnavailable',
        severity: 'trouble',
        headline: l10n.t('The image cannot be pulled'),
        explanation: l10n.t`Worker ${workerId} cannot start because the registry does not provide ${snapshot.endpoint.image ?? l10n.t('the image')}. The image name may be wrong. If the image is private, the endpoint needs a registry credential for it.`,
        evidence: [finding.reason],
        next: [editStep(snapshot, l10n.t('Correct the image or set a registry credential.')), ...log],
      };
    case 'engineUnreachable': {
      const { remedies } = startProblemWords('engineUnreachable', platform);
      return {
        cause: 'engineUnreachable',
        severity: 'trouble',
        headline: l10n.t('The engine that runs a worker cannot be reached'),
        explanation:
          l10n.t`Worker ${workerId} may still run, and continues when its engine responds again. Its job is not lost. ` +
          otherWorkersText(snapshot),
        evidence: [finding.reason],
        next: [...remedies.map((remedy) => stepOf(remedy, snapshot)), ...log],
      };
    }
    case 'notStarted': {
      const { problem } = finding;
      if (problem) {
        const { headline, explanation, remedies } = startProblemWords(problem, platform);
        return {
          cause: problem,
          severity: 'trouble',
          headline,
          explanation: [explanation, otherWorkersText(snapshot)].filter(Boolean).join(' '),
          evidence: [finding.reason],
          next: [...remedies.map((remedy) => stepOf(remedy, snapshot)), ...log],
        };
      }
      return {
        cause: 'unhealthy',
        severity: 'trouble',
        headline: l10n.t('The command cannot be started'),
        explanation: l10n.t`Worker ${workerId} could not start. ${otherWorkersText(snapshot)}`,
        evidence: [finding.reason],
        next: [editStep(snapshot, l10n.t('Correct the command or the image.')), ...log],
      };
    }
    case 'notReady':
      return {
        cause: 'unhealthy',
        severity: 'trouble',
        headline: l10n.t('A worker is up but not ready'),
        explanation: l10n.t`Worker ${workerId} is running but does not pass its health check. ${otherWorkersText(snapshot)}`,
        evidence: [finding.reason],
        next: [...log, editStep(snapshot, l10n.t('Correct the ports or the path of the health check.'))],
      };
    case 'crash': {
      const isLoop = finding.times > 1;
      const exits = isLoop
        ? l10n.t`The worker has exited ${finding.times} times and keeps restarting`
        : l10n.t('The worker exited');
      const how = exitText(finding.exit);
      const memory = mayBeOutOfMemory(finding.exit)
        ? l10n.t(' A process that is killed this way often ran out of memory.')
        : '';
      const billing = isLoop && platform === 'hosted' ? l10n.t(' Each start may be billed.') : '';
      return {
        cause: 'crashLoop',
        severity: 'trouble',
        headline: l10n.t`The worker crashes (${how})`,
        explanation: l10n.t`${exits}.${billing} This is not a lack of capacity: more workers would crash too.${memory} ${otherWorkersText(snapshot)}`,
        evidence: finding.lastLines,
        next: [
          ...log,
          editStep(snapshot, l10n.t('Change the image, command, or environment.')),
          step(
            l10n.t('Scale…'),
            l10n.t('Set the maximum to 0 to stop the restarts.'),
            'cloudCompute.endpoints.scale',
            snapshot.endpoint.id,
          ),
        ],
      };
    }
  }
}

/** Returns a sentence about the workers that run, or the empty text. */
export function otherWorkersText({ workers }: EndpointSnapshot): string {
  const { running = 0, idle = 0 } = workers?.summary ?? {};
  return running + idle > 0
    ? running + idle === 1
      ? l10n.t('1 other worker can take jobs in the meantime.')
      : l10n.t`${running + idle} other workers can take jobs in the meantime.`
    : '';
}
