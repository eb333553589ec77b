import type { Diagnosis } from '../../account/diagnosis/diagnosis.ts';
import { verificationWords, type Verification } from '../../features/manifest/model/deployment/verification.ts';

export function verificationJson(verification: Verification): object {
  if (verification.outcome === 'unread') return { outcome: 'unread', error: verificationWords(verification) };
  if (!('diagnosis' in verification)) return verification;
  const { outcome, diagnosis } = verification;
  return { outcome, ...(diagnosis && diagnosisJson(diagnosis)) };
}

function diagnosisJson({ cause, headline, explanation, evidence }: Diagnosis): object {
  return { cause, headline, explanation, evidence };
}
