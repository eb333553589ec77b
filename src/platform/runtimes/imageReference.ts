import { parseImageReference, type ImageReference } from '../../contract/imageReference.ts';
import { StartError } from './runtime.ts';

/** @throws StartError for an invalid reference */
export function referenceOf(image: string): ImageReference {
  const reference = parseImageReference(image);
  if (reference) return reference;
  throw new StartError(
    `${JSON.stringify(image)} is not an image reference. Write it as name:tag, such as registry.example/team/worker:1, in lowercase.`,
    { problem: 'imageNotFound' },
  );
}
