import type { ApiError } from '../../client/apiError.ts';
import { foreign, shown } from '../../vscode/text/shownText.ts';
import type { BillingFailure, BillingView } from '../../webviews/billing/messages.ts';
import type { Profile } from '../connections/connectionStore.ts';
import type { BillingState } from './billingStore.ts';

/** What the page shows of the state. @param callable whether there is a platform to ask */
export function billingView(
  state: BillingState,
  profile: Pick<Profile, 'kind' | 'name'> | undefined,
  callable: boolean,
): BillingView {
  const { range, busy, report, error } = state;
  const failure = callable ? error && failureOf(error) : notCallable(profile);
  return {
    range,
    busy,
    ...(profile && { connection: foreign(profile.name).text }),
    ...(report && { report: { response: report.response, updatedAt: new Date(report.updatedAt).toISOString() } }),
    ...(failure && { failure }),
  };
}

function notCallable(profile: Pick<Profile, 'kind' | 'name'> | undefined): BillingFailure {
  if (profile?.kind === 'hosted')
    return {
      message: shown`You are signed out of “${profile.name}”.`.text,
      retry: false,
      remedy: { label: 'Sign In', action: 'replaceKey' },
    };
  const remedy = { label: 'Start Local Platform', action: 'startLocalPlatform' } as const;
  const message =
    profile?.kind === 'local'
      ? 'The local platform is not running. Its usage is kept on this machine.'
      : 'No platform is connected.';
  return { message, retry: false, remedy };
}

function failureOf({ kind, message }: ApiError): BillingFailure {
  switch (kind) {
    case 'forbidden':
      return {
        message: shown`The API key has no access to billing (${message}).`.text,
        retry: true,
        remedy: { label: 'Replace API Key', action: 'replaceKey' },
      };
    case 'unauthorized':
      return {
        message: shown`The API key was not accepted (${message}).`.text,
        retry: true,
        remedy: { label: 'Replace API Key', action: 'replaceKey' },
      };
    case 'rateLimited':
      return { message: shown`Too many requests for now (${message}).`.text, retry: true };
    case 'network':
    case 'timeout':
      return { message: shown`The platform cannot be reached (${message}).`.text, retry: true };
    default:
      return {
        message: shown`The platform could not report the spend (${message}).`.text,
        retry: true,
        remedy: { label: 'Show Log', action: 'showLog' },
      };
  }
}
