/**
 * Order of two CUDA versions, by number and not by text: 12.11 is above 12.2 (facts, section 3).
 *
 * @returns below 0 when the left one is lower, above 0 when it is higher, 0 when they are the same
 */
export function compareCudaVersions(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split('.').map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split('.').map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}
