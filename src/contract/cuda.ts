/**
 * Compares two CUDA versions by their numbers: 12.11 is higher than 12.2.
 *
 * @returns a negative number if `left` is lower, a positive number if it is higher, 0 if they are equal
 */
export function compareCudaVersions(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split('.').map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split('.').map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}
