import { explain } from '../../kit/explain.ts';
import type { Diagnosis } from '../../account/diagnosis/diagnosis.ts';
import type { LostSetting } from '../../features/manifest/model/deployment/rollback.ts';
import type { Verification } from '../../features/manifest/actions/verifyDeployment.ts';

/* The result of a verification, for people and for programs. */

export function verificationWords(verification: Verification): string {
  switch (verification.outcome) {
    case 'ready':
      return verification.workers === 1 ? '1 worker is up' : `${verification.workers} workers are up`;
    case 'accepted':
      return verification.isPaused ? 'it is paused, so no worker starts' : 'a worker starts with the first request';
    case 'skipped':
      return 'not verified';
    case 'failed':
      return `no worker can run. ${verification.diagnosis.headline}. ${verification.diagnosis.explanation}`;
    case 'timedOut':
      return `it was not ready in time. ${verification.diagnosis?.headline ?? ''}`;
    case 'interrupted':
      return 'not verified, because of the interruption';
    case 'gone':
      return 'somebody has deleted it since';
    case 'unread':
      return explain(verification.error, 'not verified').text;
  }
}

/** Returns the log lines that show the cause of a failure. */
export function evidenceOf(verification: Verification): readonly string[] {
  return 'diagnosis' in verification ? (verification.diagnosis?.evidence ?? []) : [];
}

export function verificationJson(verification: Verification): object {
  if (verification.outcome === 'unread') return { outcome: 'unread', error: verificationWords(verification) };
  if (!('diagnosis' in verification)) return verification;
  const { outcome, diagnosis } = verification;
  return { outcome, ...(diagnosis && diagnosisJson(diagnosis)) };
}

function diagnosisJson({ cause, headline, explanation, evidence }: Diagnosis): object {
  return { cause, headline, explanation, evidence };
}

/** Returns the reason why a setting could not return to its earlier value. */
export function lostWords({ field, reason }: LostSetting): string {
  switch (reason) {
    case 'masked':
      return `${field} is not restored, because the platform hides its earlier value`;
    case 'unknown':
      return `${field} is not restored, because its meaning is not known`;
    case 'notClearable':
      return `${field} keeps its value, because an endpoint cannot lose it`;
  }
}
