import { registryFailure } from '../../../machine/engine/registryFailure.ts';
import type { StartProblem } from '../../../contract/startProblem.ts';
import { imageText, isOfficialImage, type ImageReference } from '../../../contract/imageReference.ts';
import { StartError } from '../runtime.ts';

/** The image of a pull, and whether a credential was sent. */
export interface PullAttempt {
  readonly reference: ImageReference;
  /** True if a credential was sent. */
  readonly withCredentials: boolean;
}

/** A failure of a pull. It has the class and the engine's own reason. */
export interface PullFailure {
  readonly problem: StartProblem | undefined;
  readonly reason: string;
  /** True if the registry does not tell whether the image is private or missing, and no credential was sent. */
  readonly mayBeMissing?: boolean | undefined;
}

/** Returns the failure that an engine reports. @param text message of the response, or of a line of the report */
export function pullFailure(text: string, { reference, withCredentials }: PullAttempt): PullFailure {
  const reason = oneLine(text);
  const kind = registryFailure(reason);
  switch (kind) {
    case 'denied':
      if (isOfficialImage(reference)) return { problem: 'imageNotFound', reason };
      if (withCredentials) return { problem: 'credentialsRefused', reason };
      return { problem: 'credentialsMissing', reason, mayBeMissing: true };
    case 'unauthorized':
      return { problem: withCredentials ? 'credentialsRefused' : 'credentialsMissing', reason };
    default:
      return { problem: kind, reason };
  }
}

/** Returns the error for a start, with the reason of the engine and a remedy. */
export function pullError({ problem, reason }: PullFailure, reference: ImageReference): StartError {
  const image = imageText(reference);
  const { registry } = reference;
  const said = `The engine reports: ${reason}`;
  return new StartError(`${words(problem, image, registry)} ${said}`, { ...(problem && { problem }) });
}

function words(problem: StartProblem | undefined, image: string, registry: string): string {
  switch (problem) {
    case 'imageNotFound':
      return `the image ${image} exists neither in its registry nor on the engine. Check its name and its tag, or build it.`;
    case 'credentialsMissing':
      return `the registry ${registry} does not serve the image ${image} without a credential. Check its name, and select a registry credential for the endpoint.`;
    case 'credentialsRefused':
      return `the registry ${registry} refuses the credential of the endpoint for the image ${image}. Create the credential again with the right user name and password, and check that this user may pull the image.`;
    case 'registryUnreachable':
      return `the engine cannot reach the registry ${registry} for the image ${image}. Check the name of the registry and the network of the engine.`;
    case 'registryFailing':
      return `the registry ${registry} returns an error for the image ${image}. Wait, or ask its operator.`;
    case 'rateLimited':
      return `the registry ${registry} limits the number of pulls. Wait, or select a registry credential for the endpoint, which has a higher limit.`;
    case 'wrongPlatform':
      return `the image ${image} is not built for the processor or the operating system of the engine. Build it for this platform.`;
    case 'noSpace':
      return `the engine has no space left for the image ${image}. Remove unused images, or enlarge the disk of the engine.`;
    default:
      return `the image ${image} cannot be pulled.`;
  }
}

/** Engines wrap long reasons. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
