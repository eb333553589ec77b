import * as l10n from '@vscode/l10n';
import type { AccountServices } from '../../account/accountServices.ts';
import { normalAddress, s3AddressProblem } from '../../account/connections/model/address.ts';
import type { Profile } from '../../account/connections/connectionStore.ts';
import { ApiError } from '../../client/apiError.ts';
import { DATA_CENTER_MARK, s3AccessOf, type S3Access } from '../../client/s3/s3Connection.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import { explain } from '../../kit/explain.ts';
import { askText, BACK } from '../../kit/steps.ts';
import { UserError } from '../../kit/userError.ts';
import { shown, type Showable } from '../../text/shownText.ts';
import { filesOf } from './actions/fileTree.ts';

const TITLE = l10n.t('Key for the Files of Volumes');

/**
 * Returns whether a connection has an address and a key for files that the service accepts. Asks for them if not, and stores them beside the
 * API key.
 */
export async function ensureFileKey(
  services: Pick<AccountServices, 'clock' | 'connections'>,
  profile: Profile,
  volume: NetworkVolume,
): Promise<boolean> {
  const access = s3AccessOf(profile);
  const problem = access && (await refusal(services, access, volume));
  if (access && problem === undefined) return true;
  if (profile.kind === 'local')
    throw (
      problem ??
      new UserError(
        l10n.t('this local platform is of an earlier version, which does not serve the files of volumes; restart it'),
      )
    );
  if (problem !== undefined && problem.kind !== 'unauthorized' && problem.kind !== 'network') throw problem;
  const answers = [profile.s3Url ?? '', profile.s3AccessKeyId ?? '', ''];
  for (let step = 0; step < 3;) {
    const answer = await askStep(services, volume, step, answers);
    if (answer === undefined) return false;
    if (answer === BACK) step--;
    else answers[step++] = answer;
  }
  await services.connections.setS3Access(profile.id, accessFrom(answers));
  return true;
}

function accessFrom([s3Url = '', s3AccessKeyId = '', s3SecretAccessKey = '']: readonly string[]): S3Access {
  return { s3Url: normalAddress(s3Url), s3AccessKeyId, s3SecretAccessKey };
}

async function askStep(
  services: Pick<AccountServices, 'clock'>,
  volume: NetworkVolume,
  step: number,
  answers: readonly string[],
): Promise<string | typeof BACK | undefined> {
  const prompts = [
    shown`Address of the S3 interface of the platform. It can contain ${DATA_CENTER_MARK}.`,
    l10n.t('Access key ID for the S3 interface'),
    l10n.t('Secret access key. The editor keeps it in secret storage and sends only signatures.'),
  ];
  const answer = await askText({
    place: { title: TITLE, step: step + 1, totalSteps: 3, back: step > 0 },
    prompt: prompts[step] ?? '',
    value: answers[step],
    password: step === 2,
    ...(step === 0 && { placeholder: `https://s3-${DATA_CENTER_MARK}.example.com` }),
    problem: (text) => (step === 0 ? s3AddressProblem(normalAddress(text)) : keyProblem(text)),
    ...(step === 2 && {
      attempt: async (text: string, signal: AbortSignal): Promise<Showable | undefined> => {
        const error = await refusal(services, accessFrom([...answers.slice(0, 2), text.trim()]), volume, signal);
        if (!error || error.kind === 'canceled') return undefined;
        return error.kind === 'unauthorized'
          ? shown`The service did not accept the key (${error.message}). Copy both of its parts again.`
          : explain(error, l10n.t('Could not list the files'));
      },
    }),
  });
  return typeof answer === 'string' ? answer.trim() : answer === BACK ? BACK : undefined;
}

function keyProblem(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text.trim())
    ? undefined
    : l10n.t('A key must contain only ASCII characters, without spaces.');
}

async function refusal(
  services: Pick<AccountServices, 'clock'>,
  access: S3Access,
  volume: NetworkVolume,
  signal?: AbortSignal,
): Promise<ApiError | undefined> {
  try {
    await filesOf(services, access, volume).check({ signal, retries: 0 });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
