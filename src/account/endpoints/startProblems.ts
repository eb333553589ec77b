import * as l10n from '@vscode/l10n';
import type { StartProblem } from '../../contract/startProblem.ts';
import type { CommandId } from '../../kit/commandIds.ts';

/* Words and remedies for each class of causes for which a worker cannot be started, or an image cannot be pulled. */

/** A step that resolves a problem. */
export interface StartRemedy {
  readonly title: string;
  readonly why: string;
  readonly command: CommandId;
  /** Whether the command acts on an endpoint. */
  readonly needsEndpoint: boolean;
}

export interface StartProblemWords {
  /** One line. */
  readonly headline: string;
  /** Sentences about the cause and the way out. */
  readonly explanation: string;
  /** The most promising one first. */
  readonly remedies: readonly StartRemedy[];
}

const edit = (why: string): StartRemedy => ({
  title: l10n.t('Edit Endpoint'),
  why,
  command: 'cloudCompute.endpoints.edit',
  needsEndpoint: true,
});
const addCredential = (why: string): StartRemedy => ({
  title: l10n.t('Add Registry Credential'),
  why,
  command: 'cloudCompute.registries.create',
  needsEndpoint: false,
});
const pullAgain = (why: string): StartRemedy => ({
  title: l10n.t('Pull Image…'),
  why,
  command: 'cloudCompute.localPlatform.pullImage',
  needsEndpoint: false,
});
const chooseEngine = (why: string): StartRemedy => ({
  title: l10n.t('Choose Container Engine…'),
  why,
  command: 'cloudCompute.localPlatform.chooseEngine',
  needsEndpoint: false,
});

/** Commands that act only on the local platform. */
const LOCAL_COMMANDS: readonly CommandId[] = [
  'cloudCompute.localPlatform.pullImage',
  'cloudCompute.localPlatform.chooseEngine',
  'cloudCompute.localPlatform.removeUnusedImages',
  'cloudCompute.endpoints.runWithoutGpus',
];

const WORDS: Readonly<Record<StartProblem, StartProblemWords>> = {
  imageNotFound: {
    headline: l10n.t('The image does not exist'),
    explanation: l10n.t(
      'The registry has no image with this name and tag. Check both for typing errors. Some registries also hide a private image this way.',
    ),
    remedies: [
      edit(l10n.t('Correct the name or the tag of the image.')),
      addCredential(l10n.t('If the image is private, add a credential, and set it as the registry of the endpoint.')),
      pullAgain(l10n.t('Try the image without starting a worker.')),
    ],
  },
  credentialsMissing: {
    headline: l10n.t('The registry requires credentials'),
    explanation: l10n.t(
      'The image is private, and the endpoint has no registry credential. Add a credential with the user name and password of the registry, and set it as the registry of the endpoint.',
    ),
    remedies: [
      addCredential(l10n.t('Store the user name and the password of the registry.')),
      edit(l10n.t('Set the registry to the ID of the credential.')),
    ],
  },
  credentialsRefused: {
    headline: l10n.t('The registry refused the credentials'),
    explanation: l10n.t(
      'The user name or the password of the registry credential is wrong or has expired, or the user may not read the image. A stored credential cannot be changed: add another one, and set it as the registry of the endpoint.',
    ),
    remedies: [
      addCredential(l10n.t('Store the correct user name and password.')),
      edit(l10n.t('Set the registry to the ID of the new credential.')),
    ],
  },
  registryUnreachable: {
    headline: l10n.t('The registry cannot be reached'),
    explanation: l10n.t(
      'The engine has no connection to the registry. Check the name of the registry in the image, the network, and the proxy of the engine. The worker is started again later.',
    ),
    remedies: [pullAgain(l10n.t('Try the image now.')), edit(l10n.t('Correct the name of the registry in the image.'))],
  },
  registryFailing: {
    headline: l10n.t('The registry reports an error'),
    explanation: l10n.t(
      'The registry returned an error, such as status 500. The worker is started again later. If the error persists, ask the operator of the registry.',
    ),
    remedies: [pullAgain(l10n.t('Try the image again later.'))],
  },
  rateLimited: {
    headline: l10n.t('The registry limits the pulls'),
    explanation: l10n.t(
      'The registry has refused further pulls for now. Signed-in users usually have a higher limit. The worker is started again later.',
    ),
    remedies: [
      addCredential(l10n.t('Sign in to the registry with a credential.')),
      edit(l10n.t('Set the registry to the ID of the credential.')),
      pullAgain(l10n.t('Try the image again later.')),
    ],
  },
  wrongPlatform: {
    headline: l10n.t('The image is for another kind of machine'),
    explanation: l10n.t(
      'The image has no variant for the operating system and the processor of the engine, such as linux/arm64. Build the image for this platform, or choose another tag.',
    ),
    remedies: [edit(l10n.t('Choose an image for this kind of machine.'))],
  },
  noSpace: {
    headline: l10n.t('No space is left for the image'),
    explanation: l10n.t(
      'The disk of the engine is full. Remove images that are no longer used, or free space in another way.',
    ),
    remedies: [
      {
        title: l10n.t('Remove Unused Images…'),
        why: l10n.t('Free the space of images that no endpoint runs.'),
        command: 'cloudCompute.localPlatform.removeUnusedImages',
        needsEndpoint: false,
      },
    ],
  },
  badCommand: {
    headline: l10n.t('The command cannot run'),
    explanation: l10n.t('The image does not contain the program of the command, or the program cannot be executed.'),
    remedies: [edit(l10n.t('Correct the entrypoint and the command, or choose an image that contains the program.'))],
  },
  directoryMissing: {
    headline: l10n.t('The directory of the worker does not exist'),
    explanation: l10n.t('The worker is a process on this machine, and its directory was moved or deleted.'),
    remedies: [edit(l10n.t('Set the directory that contains the worker.'))],
  },
  engineMissing: {
    headline: l10n.t('No container engine was found'),
    explanation: l10n.t(
      'Images run on a container engine, such as Docker or Podman. Install and start one, or select the address of an engine. To run the worker without an engine, give the manifest a directory and a command in x-local.',
    ),
    remedies: [
      chooseEngine(l10n.t('Select another engine, or its address.')),
      edit(l10n.t('Run the worker as a process with x-local.')),
    ],
  },
  engineUnreachable: {
    headline: l10n.t('The engine cannot be reached'),
    explanation: l10n.t(
      'The engine does not respond. Start it (for example, Docker Desktop or the Podman service), or select another one.',
    ),
    remedies: [chooseEngine(l10n.t('Check the address of the engine, or select another engine.'))],
  },
  noGpu: {
    headline: l10n.t('This machine does not have the GPUs'),
    explanation: l10n.t(
      'The endpoint asks for more GPUs than the platform found. Workers that can compute without a GPU may run without them.',
    ),
    remedies: [
      {
        title: l10n.t('Run Without GPUs…'),
        why: l10n.t('Run the workers on the processor, with x-local.gpu: ignore.'),
        command: 'cloudCompute.endpoints.runWithoutGpus',
        needsEndpoint: true,
      },
      edit(l10n.t('Use fewer GPUs.')),
    ],
  },
};

/** Returns the words and the remedies of a problem. Remedies that need the local platform are omitted for other platforms. */
export function startProblemWords(problem: StartProblem, platform: 'local' | 'hosted'): StartProblemWords {
  const words = WORDS[problem];
  if (platform === 'local') return words;
  return { ...words, remedies: words.remedies.filter(({ command }) => !LOCAL_COMMANDS.includes(command)) };
}

/** Returns the problem with this code, or undefined for a code of a newer platform. */
export function startProblemWithCode(code: string | undefined): StartProblem | undefined {
  return code !== undefined && Object.hasOwn(WORDS, code) ? (code as StartProblem) : undefined;
}
