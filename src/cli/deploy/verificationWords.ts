import type { Diagnosis } from '../../account/diagnosis/diagnosis.ts';
import type { Verification } from '../../features/manifest/actions/verifyDeployment.ts';

/* The result of a verification, for people and for programs. */

/** Returns whether the endpoint works, as far as that can be known before the first request. */
export function isDone({ outcome }: Verification): boolean {
  return outcome === 'ready' || outcome === 'accepted';
}

export function verificationWords(verification: Verification): string {
  switch (verification.outcome) {
    case 'ready':
      return verification.workers === 1 ? '1 worker is up' : `${verification.workers} workers are up`;
    case 'accepted':
      return 'a worker starts with the first request';
    case 'failed':
      return `no worker can run. ${verification.diagnosis.headline}. ${verification.diagnosis.explanation}`;
    case 'timedOut':
      return `it was not ready in time. ${verification.diagnosis?.headline ?? ''}`;
    case 'interrupted':
      return 'not verified, because of the interruption';
    case 'gone':
      return 'somebody has deleted it since';
  }
}

/** Returns the log lines that show the cause of a failure. */
export function evidenceOf(verification: Verification): readonly string[] {
  return 'diagnosis' in verification ? (verification.diagnosis?.evidence ?? []) : [];
}

export function verificationJson(verification: Verification): object {
  if (!('diagnosis' in verification)) return verification;
  const { outcome, diagnosis } = verification;
  return { outcome, ...(diagnosis && diagnosisJson(diagnosis)) };
}

function diagnosisJson({ cause, headline, explanation, evidence }: Diagnosis): object {
  return { cause, headline, explanation, evidence };
}
